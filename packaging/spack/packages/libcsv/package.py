from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:  # before Spack 1.0 spack.package has it
    pass


class Libcsv(AutotoolsPackage):
    """A small and fast reader of CSV in C."""

    homepage = "https://github.com/rgamble/libcsv"
    git = "https://github.com/rgamble/libcsv.git"

    license("LGPL-2.1-or-later")

    version("3.0.3", commit="b1d5212831842ee5869d99bc208a21837e4037d5")

    depends_on("c", type="build")

    @run_before("configure")
    def use_what_is_generated(self):
        """A checkout has generated files older than their sources, and make would want automake 1.14."""
        which("sh")("fix-timestamps.sh")
