;; SPDX-License-Identifier: Apache-2.0
;; guix build -f packaging/guix/hoplite.scm
(use-modules (guix packages)
             (guix gexp)
             (guix build-system cmake)
             ((guix licenses) #:prefix license:)
             (gnu packages compression)
             (gnu packages digest)
             (gnu packages man)
             (gnu packages opencl)
             (gnu packages pkg-config))

(package
  (name "hoplite")
  (version "0.1.0")
  (source (local-file "../.." "hoplite-checkout" #:recursive? #t))
  (build-system cmake-build-system)
  (arguments
   '(#:tests? #f
     #:configure-flags '("-DBUILD_TESTING=OFF" "-DHOPLITE_PYTHON=OFF" "-DHOPLITE_MPI=OFF")))
  (native-inputs (list pkg-config scdoc))
  (inputs (list opencl-headers xxhash zlib))
  (home-page #f)
  (synopsis "Graph problems solved and certified on large graphs")
  (description
   "Hoplite is a C library and a command for connected components, breadth-first
search, shortest paths and list ranking on large graphs.  Independent code
certifies its answers.")
  (license license:asl2.0))
