from pathlib import Path

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0 spack.package has it
    pass


class Trilemma(CMakePackage):
    """Trade-offs between privacy, utility and communication in federated optimization, measured over MPI."""

    # There is no public address yet: the source is the checkout that holds this recipe.
    git = Path(__file__).resolve().parents[4].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("real", default="float", values=("float", "double"), multi=False,
            description="Scalar of model and messages")
    variant("blas", default=True, description="Matrix products by a BLAS library, otherwise by portable kernels")
    variant("analysis", default=True, description="Python modules that draw tables and figures")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    # The lower bounds are the versions of Debian 12, where the program is tested.
    depends_on("mpi@3:")
    depends_on("blas", when="+blas")
    conflicts("^openblas@:0.3.20", when="+blas", msg="OpenBLAS 0.3.21 is the oldest that was tried")
    depends_on("eigen@3.4:3")
    depends_on("hdf5@1.10.8: ~mpi")
    depends_on("fmt@9.1:")
    depends_on("tomlplusplus@3.3:")
    depends_on("cli11@2.1.2:2")
    depends_on("nlohmann-json@3.11:")
    depends_on("random123@1.14:")
    depends_on("highway@1.0.3:")
    depends_on("libsodium@1.0.18:")
    depends_on("boost@1.74:")
    depends_on("kissfft@131.1:")
    depends_on("libcsv@3.0.3:")
    depends_on("libzip@1.7:")
    depends_on("libpng@1.6:")
    depends_on("jpeg")
    depends_on("zlib-api")

    depends_on("python@3.8:", type="run")  # trilemma-submit
    with when("+analysis"):
        depends_on("python@3.11:", type="run")
        depends_on("py-h5py@3.7: ~mpi", type="run")
        depends_on("py-numpy@1.24:", type="run")
        depends_on("py-matplotlib@3.6:", type="run")
        depends_on("py-pandas@1.5:", type="run")
        depends_on("py-scipy@1.10:", type="run")

    conflicts("%gcc@:11", msg="GCC 12 is the oldest that was tried")

    def cmake_args(self):
        args = [
            self.define_from_variant("TRILEMMA_REAL", "real"),
            self.define("TRILEMMA_TESTS", False),
        ]
        if self.spec.satisfies("~blas"):
            return [*args, self.define("TRILEMMA_BLAS", "none")]
        if self.spec.satisfies("^openblas"):
            return [*args, self.define("TRILEMMA_BLAS", "openblas")]
        libraries = self.spec["blas"].libs.joined(";")
        return [*args, self.define("TRILEMMA_BLAS", "generic"), self.define("BLAS_LIBRARIES", libraries)]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.trilemma.analysis)
