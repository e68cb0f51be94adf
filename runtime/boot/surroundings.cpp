// The variables by which launchers announce a job.
#include "boot/surroundings.hpp"

#include <cstdlib>

namespace weft::boot {
namespace {

struct Announcement {
  const char* variable;
  bool sure;
  const char* remedy;
};

constexpr Announcement announcements[] = {
    {"SLURM_STEP_NUM_TASKS", true, "start it with srun --mpi=pmix, or with weftrun"},
    {"SLURM_NTASKS", false, "start it with srun --mpi=pmix, or with weftrun"},
    {"OMPI_COMM_WORLD_SIZE", false, "start it with weftrun, or with an mpirun that serves PMIx"},
    {"PMI_SIZE", false, "start it with weftrun; that launcher speaks PMI but not PMIx"},
    {"MPI_LOCALNRANKS", false, "start it with weftrun"},
    {"PALS_SIZE", false, "start it with weftrun"},
};

}  // namespace

bool pmix_announced() noexcept { return std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr; }

std::optional<ForeignLauncher> foreign_launcher() {
  for (const Announcement& announcement : announcements) {
    const char* text = std::getenv(announcement.variable);
    if (text == nullptr) continue;
    const long processes = std::strtol(text, nullptr, 10);
    if (processes > 1) return ForeignLauncher{announcement.variable, processes, announcement.sure, announcement.remedy};
  }
  return std::nullopt;
}

}  // namespace weft::boot
