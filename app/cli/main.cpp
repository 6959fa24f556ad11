// SPDX-License-Identifier: GPL-3.0-or-later
// batchscope-cli: parses, runs one command, turns whatever went wrong into a message and an exit code.
#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/experiment/environment.h"
#include "engine/error.h"
#include "scheduler/backend.h"
#include "scheduler/error.h"
#include "sessions/error.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <string>
#include <system_error>

namespace batchscope::cli {
namespace {

int complain(int code, const std::string& message)
{
    tell(fmt::format("batchscope-cli: {}\n", message));
    return code;
}

int exitCodeOf(engine::ErrorKind kind)
{
    switch (kind) {
    case engine::ErrorKind::InvalidFile:
        return InvalidFile;
    case engine::ErrorKind::Model:
        return ModelProblem;
    case engine::ErrorKind::Cancelled:
        return Cancelled;
    }
    return Failed;
}

int perform(const Action& action)
{
    try {
        return action();
    } catch (const UsageError& error) {
        return complain(Usage, error.what());
    } catch (const sessions::DocumentError& error) {
        return complain(InvalidFile, error.what());
    } catch (const SchedulerError& error) {
        return complain(InvalidFile, error.what());
    } catch (const engine::EngineError& error) {
        return complain(exitCodeOf(error.kind()), error.what());
    } catch (const BackendError& error) {
        return complain(ModelProblem, error.what());
    } catch (const sessions::StoreError& error) {
        return complain(Failed, error.what());
    } catch (const std::bad_alloc&) {
        return complain(ModelProblem,
                        "out of memory; choose fewer rows (--set batching.rows=8), a shorter cap or "
                        "--dtype bf16");
    } catch (const std::exception& error) {
        return complain(Failed, error.what());
    }
}

// A table on a full disk or a closed descriptor was not delivered, and a script must be able to tell.
int delivered(int code)
{
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    const std::string why = std::generic_category().message(errno);
    return complain(code == Done ? Failed : code, fmt::format("the output could not be written: {}", why));
}

int main(int argc, char** argv)
{
    holdStandardDescriptors();
    CLI::App app{"Runs LLM batch-scheduling experiments without a window."};
    app.name("batchscope-cli");
    app.set_version_flag("--version",
                         fmt::format("batchscope-cli {} ({})", app::programVersion(), app::programCommit()));
    app.require_subcommand(1);
    app.footer("Examples:\n"
               "  batchscope-cli run sessions/examples/01-sequence-scheduling-against-vanilla.json\n"
               "  batchscope-cli inspect MODEL_DIR\n"
               "  batchscope-cli COMMAND --help      what a command takes, with an example\n"
               "Exit codes: 0 done, 1 failed, 2 usage, 3 invalid input file, 4 model or device problem, 5 "
               "cancelled.");
    Action action;
    addRun(app, action);
    addRepeat(app, action);
    addSweep(app, action);
    addAdvise(app, action);
    addBench(app, action);
    addGenerate(app, action);
    addInspect(app, action);
    addTrainDemo(app, action);
    addCollectLengths(app, action);
    addTrain(app, action);
    addImport(app, action);
    addListParts(app, action);
    addListPresets(app, action);
    addRuns(app, action);
    addCompare(app, action);
    addExport(app, action);
    addReport(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) { // --help, --version
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        return complain(Usage,
                        fmt::format("{}\nTry: batchscope-cli {}--help", error.what(),
                                    chosen.empty() ? std::string{} : chosen.front()->get_name() + " "));
    }
    return delivered(perform(action));
}

} // namespace

std::string seedText(const std::string& text)
{
    std::uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seed);
    if (error == std::errc{} && stop == end) return {};
    return fmt::format("found {}, expected a whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
}

std::string folderNamed(const std::string& text)
{
    return text.empty() ? "found nothing, expected a model folder, or \"demo\" for the model in the box" : "";
}

} // namespace batchscope::cli

int main(int argc, char** argv)
{
    return batchscope::cli::main(argc, argv);
}
