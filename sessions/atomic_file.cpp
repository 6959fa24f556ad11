// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/report.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace batchscope::sessions {

namespace {

[[noreturn]] void failWriting(const std::filesystem::path& file, std::size_t bytes, int error)
{
    std::string remedy = "choose another place, or make the folder writable";
    std::error_code unknown;
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, unknown))
        remedy = "create the folder " + folder.string() + " first";
    if (error == ENOSPC || error == EDQUOT) {
        const auto space = std::filesystem::space(folder, unknown);
        remedy = fmt::format("{} bytes are needed and {} are free: make room or choose another place", bytes,
                             unknown ? 0 : space.available);
    }
    throw StoreError(fmt::format("{}: cannot be written: {}; {}. Nothing was changed.", file.string(),
                                 std::error_code(error, std::generic_category()).message(), remedy));
}

bool writeAll(int descriptor, const std::string& content)
{
    std::size_t done = 0;
    while (done < content.size()) {
        const auto written = ::write(descriptor, content.data() + done, content.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

// A pipe or a device (/dev/null, /dev/stdout) is written to: a rename would put a file in its place.
int writeInto(const std::filesystem::path& target, const std::string& content)
{
    const int descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return errno;
    const int error = writeAll(descriptor, content) ? 0 : errno;
    return ::close(descriptor) != 0 && error == 0 ? errno : error;
}

// What a name leads to, also where nothing is there yet.
std::filesystem::path endOfLinks(std::filesystem::path file)
{
    std::error_code error;
    for (int links = 0; links < 40 && std::filesystem::is_symlink(file, error); ++links) {
        const auto next = std::filesystem::read_symlink(file, error);
        if (error) return file;
        file = file.parent_path() / next;
    }
    return file;
}

// The temporary file: gone again unless it took its place.
class Temporary
{
public:
    explicit Temporary(const std::filesystem::path& target)
    {
        for (int attempt = 0; m_descriptor < 0 && attempt < 100; ++attempt) {
            m_path = (target.parent_path() /
                      fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), s_next++))
                         .string();
            m_descriptor = ::open(m_path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
            if (m_descriptor < 0 && errno != EEXIST) return;
        }
    }
    ~Temporary()
    {
        if (m_descriptor >= 0) ::close(m_descriptor);
        if (m_descriptor >= 0 && !m_renamed) ::unlink(m_path.c_str());
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    int descriptor() const { return m_descriptor; }
    bool takePlaceOf(const std::filesystem::path& target)
    {
        m_renamed = ::rename(m_path.c_str(), target.c_str()) == 0;
        return m_renamed;
    }

private:
    static inline std::atomic<unsigned> s_next{0}; // two threads of a process never share a name
    std::string m_path;
    int m_descriptor = -1;
    bool m_renamed = false;
};

// A file that is replaced keeps its rights; a new one has what the process gives new files.
bool keepRights(int descriptor, const std::filesystem::path& target)
{
    struct stat status
    {};
    return ::stat(target.c_str(), &status) != 0 || ::fchmod(descriptor, status.st_mode & 07777U) == 0;
}

} // namespace

void writeFileAtomically(const std::filesystem::path& file, const std::string& content)
{
    std::error_code unresolved;
    const auto target = endOfLinks(file);
    if (std::filesystem::is_directory(target, unresolved)) failWriting(file, content.size(), EISDIR);
    if (std::filesystem::exists(target, unresolved) &&
        !std::filesystem::is_regular_file(target, unresolved)) {
        const int error = writeInto(target, content);
        if (error != 0) failWriting(file, content.size(), error);
        return;
    }
    Temporary temporary(target);
    if (temporary.descriptor() < 0) failWriting(file, content.size(), errno);
    if (!writeAll(temporary.descriptor(), content)) failWriting(file, content.size(), errno);
    if (!keepRights(temporary.descriptor(), target)) failWriting(file, content.size(), errno);
    if (::fsync(temporary.descriptor()) != 0) failWriting(file, content.size(), errno);
    if (!temporary.takePlaceOf(target)) failWriting(file, content.size(), errno);
}

} // namespace batchscope::sessions
