from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0 spack.package has it
    pass


class Kissfft(CMakePackage):
    """A small Fourier transform; its header for C++ is all that Trilemma takes."""

    homepage = "https://github.com/mborgerding/kissfft"
    git = "https://github.com/mborgerding/kissfft.git"

    license("BSD-3-Clause")

    version("131.2.0", tag="131.2.0", commit="7bce4153c6bc8aba2db0e889e576f9d00505cbe1")
    version("131.1.0", tag="131.1.0", commit="8f47a67f595a6641c566087bf5277034be64f24d")

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    def cmake_args(self):
        return [self.define("KISSFFT_TEST", False), self.define("KISSFFT_TOOLS", False)]
