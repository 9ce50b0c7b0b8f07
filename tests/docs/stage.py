"""A copy of the repository in which the commands of a document are run: links to all that is there,
results of its own, and stand-ins for what a test cannot have (a build, a fabric).

How far a command goes depends on the mode of its block:
  real     as it stands; only the build is skipped
  program  experiments/run does not draw the report, which takes longer than all the rest
  check    runs of the program become `holdfast check`: configuration and options are valid
"""

import lzma
import os
import shutil
import stat
import subprocess

import context

# Options of `holdfast run` that `holdfast check` does not have, and how many words follow.
RUN_ONLY = {"--jobs": 1, "--output": 1, "--record": 1, "--resume": 0, "--quiet": 0}

WRAPPER = """#!/bin/bash
# A stand-in for {name}: {purpose}.
program={program}
if [ {script} = no ] && [ "$1" != run ]; then exec "$program" "$@"; fi
if [ {script} = no ]; then shift; fi
config=experiments/quickstart
if [ $# -gt 0 ] && [ "${{1#-}}" = "$1" ]; then config=$1; shift; fi
words=()
while [ $# -gt 0 ]; do
  case "$1" in
    {skipped_1}) if [ {mode} = check ]; then shift 2; continue; fi ;;
    {skipped_0}) if [ {mode} = check ]; then shift; continue; fi ;;
  esac
  words+=("$1"); shift
done
if [ {mode} = check ]; then exec "$program" check "$config" "${{words[@]}}"; fi
exec "$program" run "$config" "${{words[@]}}"
"""
NOTHING = "#!/bin/bash\n# A stand-in: what it would build is there.\n"
IBNETDISCOVER = "#!/bin/bash\n# A stand-in: a fabric that was seen before.\ncat {file}\n"
LANL = 'System,"nodes, all",nodenumz,Prob Started,Prob Fixed\n18,9,4,1/1/2004 0:10,1/1/2004 0:20\n'
FAILURES = "at_s,action,what,which\n5,crash,node,0\n8,repair,node,0\n"
# What documents call the reader's own files, and what they are here.
PLACEHOLDERS = {"FABRIC": "fabric.txt", "FAILURES": "failures.csv",
                "CONFIG": "experiments/quickstart"}


def fabric_text(leaves=4, hosts=4, spines=4):
    """A two-level tree as ibnetdiscover prints it, hosts host-0 …, switches leaf-0 …, spine-0 …"""
    lines = ["#", "# Topology file: generated on Sun Nov 22 00:00:00 2026", "#"]
    for leaf in range(leaves):
        lines += ["", f"switchguid=0x{0x200000 + leaf:x}({0x200000 + leaf:x})",
                  f'Switch\t{hosts + spines} "S-{0x200000 + leaf:016x}"\t\t# "leaf-{leaf}" base '
                  f"port 0 lid {leaf + 1} lmc 0"]
        for i in range(hosts):
            host = leaf * hosts + i
            guid = 0x100000 + 16 * host
            lines.append(f'[{i + 1}]\t"H-{guid:016x}"[1]({guid + 1:x}) \t\t# "host-{host}" lid '
                         f"{100 + host} 4xEDR")
        for spine in range(spines):
            lines.append(f'[{hosts + spine + 1}]\t"S-{0x300000 + spine:016x}"[{leaf + 1}]\t\t# '
                         f'"spine-{spine}" lid {50 + spine} 4xEDR')
    for spine in range(spines):
        lines += ["", f"switchguid=0x{0x300000 + spine:x}({0x300000 + spine:x})",
                  f'Switch\t{leaves} "S-{0x300000 + spine:016x}"\t\t# "spine-{spine}" base port 0 '
                  f"lid {50 + spine} lmc 0"]
        for leaf in range(leaves):
            lines.append(f'[{leaf + 1}]\t"S-{0x200000 + leaf:016x}"[{hosts + spine + 1}]\t\t# '
                         f'"leaf-{leaf}" lid {leaf + 1} 4xEDR')
    for host in range(leaves * hosts):
        guid, leaf = 0x100000 + 16 * host, host // hosts
        lines += ["", f"caguid=0x{guid:x}", f'Ca\t1 "H-{guid:016x}"\t\t# "host-{host}"',
                  f'[1]({guid + 1:x}) \t"S-{0x200000 + leaf:016x}"[{host % hosts + 1}]\t\t# lid '
                  f'{100 + host} lmc 0 "leaf-{leaf}" lid {leaf + 1} 4xEDR']
    return "\n".join(lines) + "\n"


def write_program(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Stage:
    """In `folder`, which is empty; `program` is what plays build/release/holdfast."""

    def __init__(self, folder, program=context.PROGRAM):
        self.top, self.bin, self.program = folder / "top", folder / "bin", program
        self.bin.mkdir()
        (self.top / "experiments").mkdir(parents=True)
        (self.top / "build/release").mkdir(parents=True)
        for entry in context.ROOT.iterdir():
            if entry.name not in ("experiments", "build", "results", ".git"):
                (self.top / entry.name).symlink_to(entry)
        for entry in (context.ROOT / "experiments").iterdir():
            if entry.name != "run":
                (self.top / "experiments" / entry.name).symlink_to(entry)
        seen = self.top / "seen-before.txt"
        seen.write_text(fabric_text(), encoding="utf-8")
        write_program(self.bin / "cmake", NOTHING)
        write_program(self.bin / "ibnetdiscover", IBNETDISCOVER.format(file=seen))
        for name in ("fabric.txt", "psmn-x5.ibnetdiscover"):
            shutil.copy(seen, self.top / name)
        (self.top / "failures.csv").write_text(FAILURES, encoding="utf-8")
        (self.top / "opensm-lfts.dump").write_text("", encoding="utf-8")
        with lzma.open(self.top / "lanl-failures-1996-2005.csv.xz", "wt") as file:
            file.write(LANL)

    def _wrapper(self, name, mode, script):
        one = "|".join(word for word, count in RUN_ONLY.items() if count)
        none = "|".join(word for word, count in RUN_ONLY.items() if not count)
        purpose = {"check": "checks and does not run", "program": "draws no report"}[mode]
        return WRAPPER.format(name=name, purpose=purpose, program=self.program, mode=mode,
                              script=script, skipped_1=one, skipped_0=none)

    def prepare(self, mode):
        run, program = self.top / "experiments/run", self.top / "build/release/holdfast"
        for path in (run, program):
            path.unlink(missing_ok=True)
        if mode == "real":
            shutil.copy(context.ROOT / "experiments/run", run)
        else:
            write_program(run, self._wrapper("experiments/run", mode, "yes"))
        if mode == "check":
            write_program(program, self._wrapper("holdfast", mode, "no"))
        else:
            program.symlink_to(self.program)

    def run(self, text, mode):
        """The finished process of a block of commands."""
        self.prepare(mode)
        for name, here in PLACEHOLDERS.items():
            text = text.replace(f" {name}", f" {here}")
        script = "set -euo pipefail\n" + text
        search = f"{self.bin}:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", script], cwd=self.top, text=True, check=False,
                              env={**os.environ, "PATH": search}, timeout=280,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
