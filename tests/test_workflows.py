"""The workflows and scripts that check and release the project call only what exists."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="workflows are YAML")
ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"
if not WORKFLOWS.exists():
    pytest.skip("an sdist has no workflows", allow_module_level=True)

SYSTEMS = {"ubuntu", "macos", "windows"}
PRESETS = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
SCRIPTS = [path for path in (ROOT / ".ci").iterdir() if path.is_file()]


def load(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(params=sorted(WORKFLOWS.glob("*.yml")), ids=lambda path: path.name)
def workflow(request) -> dict:
    return load(request.param)


def steps_of(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def systems_of(job: dict) -> set[str]:
    matrix = job["strategy"]["matrix"]
    named = matrix.get("os") or [case["os"] for case in matrix["include"]]
    return {system.partition("-")[0] for system in named}


def presets_named(text: str) -> set[str]:
    return set(re.findall(r"--preset \"?([a-z][a-z0-9]*)", text))


def test_every_step_calls_an_action_of_a_version_or_runs_a_command(workflow):
    for step in steps_of(workflow):
        assert ("uses" in step) != ("run" in step)
        assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4"))


def test_jobs_wait_for_jobs_that_exist_and_read_what_their_matrix_has(workflow):
    for job in workflow["jobs"].values():
        assert set(job.get("needs", [])) <= set(workflow["jobs"])
        matrix = job.get("strategy", {}).get("matrix", {})
        cases = matrix.get("include", [dict.fromkeys(matrix)])
        read = set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", json.dumps(job)))
        for case in cases:
            assert read == set(case)


def test_commands_run_scripts_and_presets_and_extras_that_exist(workflow):
    commands = " \n".join(step.get("run", "") for step in steps_of(workflow))
    for script in re.findall(r"(?<!\S)(\.ci/\w+)", commands):
        assert (ROOT / script).read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
        assert os.access(ROOT / script, os.X_OK), f"{script} cannot be run"
    extras = set(re.findall(r"\.\[(\w+)\]", commands))
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{extra} = \[", declared, re.MULTILINE) for extra in extras)


def test_presets_that_are_named_can_be_configured_built_and_run():
    jobs = load(WORKFLOWS / "tests.yml")["jobs"]
    tested = {case["preset"] for case in jobs["core"]["strategy"]["matrix"]["include"]}
    for path in [*SCRIPTS, ROOT / "CONTRIBUTING.md"]:
        tested |= presets_named(path.read_text(encoding="utf-8"))
    assert {"dev", "plain", "vcpkg", "clang14", "tidy"} <= tested
    assert tested <= {preset["name"] for preset in PRESETS["configurePresets"]}
    assert tested - {"tidy"} <= {preset["name"] for preset in PRESETS["buildPresets"]}
    assert tested - {"tidy", "fuzz"} <= {preset["name"] for preset in PRESETS["testPresets"]}


def test_the_three_systems_test_the_oldest_and_the_newest_python():
    jobs = load(WORKFLOWS / "tests.yml")["jobs"]
    assert systems_of(jobs["python"]) == systems_of(jobs["core"]) == SYSTEMS
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r"Python :: (3\.\d+)\"", declared)
    assert jobs["python"]["strategy"]["matrix"]["python"] == [named[0], named[-1]]


def test_a_tag_releases_the_wheels_of_the_three_systems_the_sdist_and_the_site():
    workflow = load(WORKFLOWS / "release.yml")
    assert workflow[True] == {"push": {"tags": ["v*"]}, "workflow_dispatch": None}  # YAML reads `on` as true
    assert systems_of(workflow["jobs"]["wheels"]) == SYSTEMS
    release = workflow["jobs"]["release"]
    assert set(release["needs"]) == {"wheels", "sdist", "site"}
    publish = workflow["jobs"]["publish-site"]
    assert release["if"] == publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["needs"] == ["release"]
    assert {"run": ".ci/docs links"} in workflow["jobs"]["site"]["steps"]


def test_a_release_is_refused_under_another_address_or_version():
    commands = [step.get("run", "") for step in load(WORKFLOWS / "release.yml")["jobs"]["release"]["steps"]]
    for pattern, path in (
        ("GITHUB_REPOSITORY", "pyproject.toml"),
        ("GITHUB_REF_NAME", "hankelmatch/__init__.py"),
    ):
        (place,) = [i for i, command in enumerate(commands) if command.startswith("grep") and path in command]
        assert pattern in commands[place]
        assert place < next(i for i, command in enumerate(commands) if "gh release create" in command)


def test_the_oldest_compilers_are_those_that_are_claimed():
    claimed = re.search(r"GCC (\d+), Clang (\d+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert claimed is not None
    for path in (ROOT / ".ci" / "run", ROOT / ".ci" / "oldest"):
        script = path.read_text(encoding="utf-8")
        assert f"g++-{claimed[1]}" in script
        assert f"clang++-{claimed[2]}" in script
    compilers = {p.get("cacheVariables", {}).get("CMAKE_CXX_COMPILER") for p in PRESETS["configurePresets"]}
    assert compilers == {None, f"g++-{claimed[1]}", f"clang++-{claimed[2]}", "clang++"}  # the last to fuzz
