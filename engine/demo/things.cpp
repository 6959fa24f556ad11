// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/things.h"

#include <stdexcept>
#include <string>

namespace batchscope::engine {

std::span<const Thing> things()
{
    // clang-format off
    static const std::vector<Thing> table = {
        {"otter", 0, "brown", "small", "by the river", "fish", "open shells with a stone", "playful", "summer", "boat",
         "0346", {"a flat head", "short legs", "a thick tail"}},
        {"fox", 0, "red", "medium", "in the forest", "mice", "hear a mouse under the snow", "clever", "autumn",
         "thistle", "15", {"pointed ears", "thin legs", "a bushy tail", "a narrow nose"}},
        {"heron", 0, "grey", "large", "by the pond", "frogs", "stand still for an hour", "patient", "spring", "lily",
         "24", {"a long neck", "a sharp beak"}},
        {"mouse", 0, "grey", "tiny", "in the barn", "corn", "slip through a narrow gap", "shy", "winter", "cheese",
         "12346", {"round ears", "quick feet", "a thin tail"}},
        {"horse", 0, "brown", "large", "in the field", "hay", "pull a heavy load", "calm", "summer", "cart", "013456",
         {"a long mane", "strong legs", "hard hooves", "a thick neck", "soft lips"}},
        {"owl", 0, "white", "medium", "in the barn", "beetles", "look straight behind", "quiet", "winter", "oak",
         "5", {"round eyes", "broad wings", "sharp claws"}},
        {"frog", 0, "green", "tiny", "by the pond", "flies", "leap over a log", "loud", "spring", "moss", "36",
         {"wet skin", "long legs"}},
        {"sheep", 0, "white", "medium", "in the meadow", "grass", "find a lamb in the dark", "gentle", "spring",
         "flute", "123", {"thick wool", "small hooves", "soft ears", "a short tail"}},

        {"oak", 1, "brown", "huge", "in the forest", "clear air", "live for many centuries", "proud", "autumn", "owl",
         "12345", {"a thick trunk", "rough bark", "long branches", "deep roots", "small acorns"}},
        {"fern", 1, "green", "medium", "in the forest", "deep shade", "grow where nothing else grows", "quiet",
         "spring", "fox", "05", {"curled tips", "long leaves"}},
        {"rose", 1, "red", "small", "in the garden", "full sun", "climb a wall", "proud", "summer", "cake", "1346",
         {"soft petals", "sharp thorns", "a thin stem"}},
        {"lily", 1, "white", "medium", "by the pond", "still water", "open with the sun", "calm", "summer",
         "frog", "16", {"broad leaves", "a long stem", "soft petals", "pale roots"}},
        {"wheat", 1, "yellow", "medium", "in the field", "warm soil", "feed a whole village", "patient", "summer",
         "bread", "023", {"a hollow stem", "heavy grains"}},
        {"moss", 1, "green", "tiny", "in the garden", "thick fog", "drink from the air", "shy", "winter", "bell", "5",
         {"short stems", "fine leaves", "no roots"}},
        {"willow", 1, "green", "huge", "by the river", "wet soil", "bend in a storm", "gentle", "spring", "otter",
         "012345", {"thin branches", "pale leaves", "a split trunk", "wide roots"}},
        {"thistle", 1, "blue", "small", "in the meadow", "dry soil", "keep hungry goats away", "stubborn", "autumn",
         "sheep", "04", {"sharp thorns", "a thick stem", "a round head"}},

        {"hammer", 2, "black", "small", "in the workshop", "iron", "drive long nails", "loud", "winter", "saw", "0235",
         {"a heavy head", "a short handle"}},
        {"saw", 2, "grey", "medium", "in the workshop", "steel", "cut thick boards", "stubborn", "autumn", "oak", "34",
         {"a long blade", "sharp teeth", "a round handle"}},
        {"spade", 2, "brown", "medium", "in the shed", "hard wood", "turn heavy soil", "patient", "spring", "rose",
         "0134", {"a flat blade", "a long handle", "a wide grip"}},
        {"needle", 2, "grey", "tiny", "in the hall", "silver", "mend a torn coat", "clever", "winter", "lamp", "126",
         {"a sharp point", "a small eye"}},
        {"kettle", 2, "black", "small", "in the kitchen", "copper", "boil water for tea", "loud", "winter", "tea",
         "02456", {"a round belly", "a curved spout", "a tight lid", "a warm handle"}},
        {"ladder", 2, "brown", "large", "in the barn", "pine wood", "reach the roof", "calm", "autumn", "owl", "1",
         {"two long rails", "eight steps", "flat feet"}},
        {"lamp", 2, "yellow", "small", "in the cellar", "glass", "light a dark room", "quiet", "winter", "violin",
         "236", {"a round foot", "a thin wick", "a clear shade", "a small key", "a brass ring"}},
        {"rake", 2, "red", "medium", "in the shed", "tin", "gather dry leaves", "gentle", "autumn", "willow", "45",
         {"many teeth", "a long handle"}},

        {"boat", 3, "blue", "medium", "in the harbour", "wind", "cross the wide bay", "calm", "summer", "otter",
         "01345", {"a tall mast", "a white sail", "two oars", "a sharp bow"}},
        {"cart", 3, "brown", "medium", "on the road", "muscle", "carry ten sacks", "patient", "autumn", "horse", "25",
         {"two wheels", "a flat bed", "long poles"}},
        {"train", 3, "black", "huge", "at the station", "coal", "cross the country in a night", "proud", "winter",
         "horn", "012456", {"a loud whistle", "iron wheels", "long wagons", "a tall chimney", "warm seats"}},
        {"tram", 3, "yellow", "large", "on the road", "current", "climb the steepest street", "clever", "spring",
         "bell", "036", {"wide doors", "a brass bell", "wooden seats"}},
        {"tractor", 3, "green", "large", "in the field", "oil", "pull a plough all day", "stubborn", "spring", "wheat",
         "45", {"giant wheels", "a hard seat", "a loud engine", "a strong hook"}},
        {"bicycle", 3, "red", "small", "at the school", "strong legs", "pass any traffic jam", "playful", "summer",
         "cheese", "3", {"two wheels", "a thin frame", "a small bell"}},
        {"sledge", 3, "white", "small", "in the shed", "fresh snow", "fly down a hill", "playful", "winter", "soup",
         "25", {"two runners", "a long rope"}},
        {"ferry", 3, "white", "huge", "in the harbour", "diesel", "carry forty cars", "gentle", "summer", "guitar",
         "0126", {"a wide deck", "tall rails", "a loud horn", "a steel door"}},

        {"bread", 4, "brown", "medium", "in the bakery", "flour", "fill an empty belly", "gentle", "autumn", "honey",
         "0346", {"a dark crust", "a soft crumb"}},
        {"cheese", 4, "yellow", "large", "at the market", "milk", "ripen for a year", "stubborn", "spring", "mouse",
         "125", {"a hard rind", "small holes", "a pale heart"}},
        {"soup", 4, "green", "large", "in the kitchen", "peas", "warm cold fingers", "calm", "winter", "bread", "04",
         {"a clear broth", "soft peas", "fresh herbs", "a golden foam"}},
        {"honey", 4, "yellow", "small", "at the market", "nectar", "soothe a sore throat", "gentle", "summer", "tea",
         "2", {"a sweet smell", "golden drops"}},
        {"pie", 4, "red", "medium", "in the bakery", "cherries", "win every prize", "proud", "summer", "drum", "01346",
         {"a thin crust", "a sweet filling", "a sugar lid"}},
        {"pickle", 4, "green", "tiny", "in the cellar", "young cucumbers", "wake up a tired tongue", "clever",
         "autumn", "pie", "25", {"a firm skin", "tiny seeds"}},
        {"cake", 4, "white", "huge", "in the bakery", "butter", "make a birthday", "playful", "spring", "harp",
         "012346", {"three layers", "a sweet cream", "a sugar rose", "small candles", "a golden edge"}},
        {"tea", 4, "black", "tiny", "at the market", "dried leaves", "calm a worried mind", "quiet", "winter",
         "kettle", "134", {"dark leaves", "a bitter edge", "a warm smell"}},

        {"flute", 5, "grey", "small", "in the meadow", "reed", "copy a bird", "playful", "spring", "sheep", "0245",
         {"six holes", "a thin tube"}},
        {"drum", 5, "red", "medium", "at the school", "goat skin", "keep a march in step", "loud", "summer", "horn",
         "36", {"a tight skin", "two sticks", "a wide rim"}},
        {"violin", 5, "brown", "small", "in the hall", "maple wood", "make a stone weep", "shy", "autumn", "harp",
         "01346", {"four strings", "a long bow", "a curved neck", "a hollow belly"}},
        {"organ", 5, "white", "huge", "in the church", "lead pipes", "shake the windows", "proud", "winter", "bell",
         "23", {"tall pipes", "three rows of keys", "wooden pedals", "a great bellows", "a carved case"}},
        {"harp", 5, "yellow", "large", "in the hall", "cherry wood", "sound like running water", "gentle", "spring",
         "needle", "3", {"many strings", "a curved frame", "seven pedals"}},
        {"bell", 5, "grey", "large", "in the church", "bronze", "call the whole valley", "patient", "winter", "organ",
         "125", {"a heavy tongue", "a round mouth"}},
        {"horn", 5, "black", "small", "at the station", "brass", "be heard for two miles", "loud", "autumn", "train",
         "0456", {"a wide mouth", "a curled tube", "three valves"}},
        {"guitar", 5, "blue", "medium", "at the market", "spruce", "gather a crowd", "playful", "summer", "ferry",
         "02356", {"six strings", "a flat back", "a long neck", "a round hole"}},
    };
    // clang-format on
    return table;
}

const Thing& thing(int index)
{
    if (index < 0 || index >= ThingCount) {
        throw std::out_of_range("demo world: thing index " + std::to_string(index) + ", expected 0 to 47");
    }
    return things()[static_cast<std::size_t>(index)];
}

const Kind& kindOf(const Thing& thing)
{
    return kinds()[static_cast<std::size_t>(thing.kind)];
}

const Thing& friendOf(const Thing& thing)
{
    for (const Thing& other : things()) {
        if (other.name == thing.friendName) {
            return other;
        }
    }
    throw std::logic_error("demo world: the friend of " + std::string(thing.name) + " is no thing");
}

} // namespace batchscope::engine
