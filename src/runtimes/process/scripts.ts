/**
 * The two programs that run without podkeep, in the language that every system has.
 *
 * `init.sh FOLDER COMMAND…` is the first process of a container and stays for as long as it lives:
 *
 *     claim ──> setup.sh ──> main: COMMAND, reading run.sh ──> exit
 *
 * It writes down each step, in files that it opened before anything could go wrong, so that the next
 * podkeep finds the exit code even if there was none when the container ended. The claim is a file
 * that can be made only once: of two inits for one container the second goes away, and no container
 * starts twice, whatever a kill has cut short. The state is written over room that the file already
 * has, because a full disk must not cost an exit code.
 *
 * The subshell becomes the command: that is how its process ID is known outside of its namespace, where
 * init still sees the machine's /proc. Orphans come home to init, and the kernel ends them with it.
 *
 * `guard.sh FOLDER PID NETWORKS` looks after a folder when nobody else does. If the folder goes away,
 * for somebody deleted it, the containers that were in it end; nobody could ever ask for them again.
 * It leaves when podkeep is gone and no container is left.
 */

/** The fields of /proc/PID/stat up to the time of the start, which is the 22nd. */
const STAT_FIELDS = `pid ${'_ '.repeat(20)}start _`;

export const INIT_SCRIPT = `# Runs one container: see src/runtimes/process/scripts.ts.
dir=$1
shift
pid=$$ start=- boot=-
if [ -r /proc/self/stat ]; then
  read -r ${STAT_FIELDS} </proc/self/stat
  read -r boot </proc/sys/kernel/random/boot_id
fi
set -C
{ echo "$pid $start $boot" >"$dir/claim"; } 2>/dev/null || exit 0
set +C
exec 3<>"$dir/state" 6>&2 2>"$dir/trouble"
umask 022
whole_group=
. "$dir/setup.sh" || { echo failed >&3; exit 125; }
(
  if [ -r /proc/self/stat ]; then
    read -r ${STAT_FIELDS} </proc/self/stat
    echo "main $pid $start" >&3
  fi
  exec "$@" 5<&0 <"$dir/run.sh" 2>&6 6>&-
)
echo "exit $?" >&3
[ -z "$whole_group" ] || kill -KILL 0
`;

export const GUARD_SCRIPT = `# Ends the containers of a folder that went away: see src/runtimes/process/scripts.ts.
folder=$1 keeper=$2 networks=$3
# Calls its argument with each process that runs a container of this folder.
each_init() {
  if [ -d /proc/self ]; then
    for proc in /proc/[0-9]*; do
      words=
      { read -r words <"$proc/cmdline"; } 2>/dev/null
      case $words in *"$folder/init.sh$folder/"*) "$1" "\${proc#/proc/}" ;; esac
    done
  else
    for pid in $(pgrep -f "$folder/init.sh"); do "$1" "$pid"; done
  fi
}
found() { any=yes; }
end() { kill -KILL "$1" 2>/dev/null; }
while [ -e "$folder/init.sh" ]; do
  sleep 2
  kill -0 "$keeper" 2>/dev/null && continue
  any=
  each_init found
  [ -n "$any" ] || exit 0
done
each_init end
[ -n "$networks" ] || exit 0
umount "$networks"/*/* 2>/dev/null
rm -rf "$networks"
`;

/** Holds the process namespace of a pod whose containers share one, and buries its orphans. */
export const PAUSE_SCRIPT = `# Holds the namespaces of a pod: see src/runtimes/process/scripts.ts.
if [ -r /proc/self/stat ]; then
  read -r ${STAT_FIELDS} </proc/self/stat
  echo "$pid $start" >"$1"
fi
while :; do
  sleep 2147483647 &
  wait $!
done
`;
