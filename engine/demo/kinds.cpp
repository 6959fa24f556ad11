// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/things.h"

namespace batchscope::engine {

std::span<const Kind> kinds()
{
    // clang-format off
    static const std::vector<Kind> table = {
        {"animal", "animals", "lives", "eats", "What does the {} eat?", "Where does the {} live?", "farmer",
         {"Watch it from far away.", "Bring it fresh water.", "Clean its bed.", "Let it rest at night."},
         {"It sleeps through the hottest hours of the day.", "It always knows the way home.",
          "It keeps its young close.", "It is afraid of thunder.", "It leaves clear tracks in the mud.",
          "Many old tales speak of it.", "It washes itself every evening."}},
        {"plant", "plants", "grows", "needs", "What does the {} need?", "Where does the {} grow?", "gardener",
         {"Loosen the soil around it.", "Water it early.", "Cut the dead leaves."},
         {"Its seeds travel with the wind.", "Bees visit it all day.", "Its roots go very deep.",
          "It turns toward the light.", "Its leaves make a good tea.", "It grows back after every fire.",
          "Children press its leaves in books."}},
        {"tool", "tools", "is kept", "is made of", "What is the {} made of?", "Where is the {} kept?", "smith",
         {"Wipe it dry.", "Rub it with oil.", "Check that nothing is loose.", "Hang it up in its place.",
          "Keep it away from small hands."},
         {"It lasts longer than its owner.", "Nobody likes to lend it.", "It was once a royal gift.",
          "It has to be cleaned after work.", "A good one costs a week of work.", "It hangs on a hook by the door.",
          "Its shape has never changed."}},
        {"vehicle", "vehicles", "waits", "runs on", "What does the {} run on?", "Where does the {} wait?", "driver",
         {"Wash off the dirt.", "Look under it.", "Try the brakes.", "Sit down before you start.",
          "Look both ways.", "Go slowly at first."},
         {"It is never quite on time.", "It carries letters as well as people.", "Its first trip took two days.",
          "It stops for anyone who waves.", "It needs a new coat of paint each year.", "It is slow on a hill.",
          "Its driver knows everyone by name."}},
        {"food", "foods", "is sold", "is made from", "What is the {} made from?", "Where is the {} sold?", "cook",
         {"Smell it first.", "Keep it cool.", "Share it while it is fresh."},
         {"It tastes even better the next day.", "It is shared at every wedding.", "It keeps for a whole month.",
          "Its smell fills the street.", "Every family has its own way to make it.", "It was once worth more than silver.",
          "Nobody can eat just a little of it."}},
        {"instrument", "instruments", "is played", "is made of", "What is the {} made of?", "Where is the {} played?",
         "teacher",
         {"Wash your hands.", "Take it out of its case.", "Listen before you play.", "Play one soft note.",
          "Put it back in its case."},
         {"It takes ten years to learn it well.", "It sounds best in the rain.", "It is older than the town.",
          "It must be tuned each morning.", "A famous song was written for it.", "It makes dogs sing.",
          "It is carried in a box with a soft lining."}},
    };
    // clang-format on
    return table;
}

std::span<const std::string_view> colours()
{
    static const std::vector<std::string_view> table = {"brown", "grey",  "white",  "black",
                                                        "red",   "green", "yellow", "blue"};
    return table;
}

std::span<const std::string_view> seasons()
{
    static const std::vector<std::string_view> table = {"spring", "summer", "autumn", "winter"};
    return table;
}

std::span<const std::string_view> homes()
{
    static const std::vector<std::string_view> table = {
        "by the river",  "in the forest",  "by the pond",    "in the barn",     "in the field",
        "in the meadow", "in the garden",  "in the shed",    "in the workshop", "in the kitchen",
        "on the road",   "in the harbour", "at the station", "at the market",   "in the bakery",
        "in the cellar", "in the hall",    "at the school",  "in the church"};
    return table;
}

std::span<const std::string_view> people()
{
    static const std::vector<std::string_view> table = {"Anna",  "Ben",  "Clara", "David", "Emma",  "Felix",
                                                        "Greta", "Hugo", "Ida",   "Jonas", "Karin", "Leo"};
    return table;
}

} // namespace batchscope::engine
