// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/options.h"

#include "app/cli/exit_code.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <string_view>

namespace batchscope::window {
namespace {

// "1280x800"
std::optional<QSize> sizeFromText(const std::string& text)
{
    const std::size_t cross = text.find_first_of("xX");
    if (cross == std::string::npos) return std::nullopt;
    const auto number = [](const char* first, const char* last) -> int {
        int value = 0;
        const auto [end, error] = std::from_chars(first, last, value);
        return error == std::errc() && end == last ? value : 0;
    };
    const char* begin = text.data();
    const QSize size(number(begin, begin + cross), number(begin + cross + 1, begin + text.size()));
    const bool sensible =
        size.width() >= 640 && size.height() >= 480 && size.width() <= 7680 && size.height() <= 4320;
    return sensible ? std::optional(size) : std::nullopt;
}

// The words without Qt's own "-platform NAME": QApplication takes that from the same command line. Last word
// first, as CLI11 wants them.
std::vector<std::string> ownWords(int argc, char** argv)
{
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "-platform" || word == "--platform")
            ++i;
        else
            words.emplace_back(word);
    }
    std::reverse(words.begin(), words.end());
    return words;
}

} // namespace

ParsedOptions parseOptions(int argc, char** argv)
{
    CLI::App app{"Batchscope: see how batching and scheduling decide what a language model server delivers."};
    app.name("batchscope");
    app.set_version_flag("--version", std::string("batchscope " BATCHSCOPE_VERSION));
    WindowOptions options;
    std::string session, named_session, screenshots, theme, database, size;
    app.add_option("SESSION", session, "Session file to open (default: the first example)");
    app.add_option("--session", named_session, "The same, by name");
    app.add_flag("--run", options.run, "Press Run as soon as the session is read");
    app.add_option("--screenshots", screenshots,
                   "Write compose.png, run.png and compare.png into this folder and end");
    app.add_option("--compare", options.compare,
                   "Open Compare with these stored runs, two to eight; the first is the baseline")
        ->expected(2, 8)
        ->option_text("RUN RUN ...");
    app.add_option("--theme", theme, "Colours (default: as the desktop)")
        ->check(CLI::IsMember({"light", "dark"}));
    app.add_flag("--reset-layout", options.reset_layout, "Start with the built-in arrangement of the panels");
    app.add_option("--db", database, "Run store (default: $XDG_DATA_HOME/batchscope/runs.db)");
    app.add_option("--size", size, "Size of the window, for example 1280x800")
        ->check([](const std::string& text) {
            return sizeFromText(text)
                       ? std::string()
                       : "'" + text + "' is no size; expected WIDTHxHEIGHT from 640x480 to 7680x4320";
        });
    app.footer("Example:\n  batchscope --session sessions/examples/02-simulated-quick.json --run "
               "--screenshots pictures\n"
               "Exit codes: 0 done, 1 failed, 2 usage, 3 invalid input file, 4 model or device problem, 5 "
               "cancelled.");
    try {
        app.parse(ownWords(argc, argv));
    } catch (const CLI::Success& help) {
        return {std::nullopt, app.exit(help)};
    } catch (const CLI::ParseError& error) {
        std::cerr << "batchscope: " << error.what() << "\nTry: batchscope --help\n";
        return {std::nullopt, cli::Usage};
    }
    options.session = named_session.empty() ? session : named_session;
    options.screenshots = screenshots;
    options.database = database;
    if (!theme.empty()) options.theme = theme == "dark" ? widgets::Theme::Dark : widgets::Theme::Light;
    if (!size.empty()) options.size = sizeFromText(size);
    return {options, cli::Done};
}

} // namespace batchscope::window
