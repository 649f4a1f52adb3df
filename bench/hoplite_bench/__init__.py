# SPDX-License-Identifier: Apache-2.0
"""
The experiments: data files in, raw rows, figures and one report out. docs/experiments.md tells how
to run them and how to add one. Everything is measured by the `hoplite` command; this package
only decides what to run, keeps what comes out, and draws it.
"""
