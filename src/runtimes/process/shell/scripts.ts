/**
 * Two POSIX shell scripts that keep running without podkeep: the init of a container, and the guard of the
 * data folder.
 *
 * `init.sh FOLDER COMMAND…` is the first process of a container, and runs until the container ends:
 *
 *     claim ──> setup.sh ──> main: COMMAND, reading run.sh ──> exit
 *
 * It notes each step in files that it opened before anything could fail, so that podkeep finds the exit code
 * even if no podkeep was running when the container ended. The claim is a file that is created exclusively:
 * of two inits for one container the second exits, so no container starts twice, whatever a kill has
 * interrupted. The notes overwrite space that the file already has, because a full disk must not lose an exit
 * code.
 *
 * A subshell of init becomes the command, so init, which still sees the machine's /proc, knows the command's
 * PID outside of the namespace. Init adopts orphans, and the kernel kills them when init ends.
 *
 * `guard.sh FOLDER PID KEY` watches the data folder, also while no podkeep runs. If the folder is deleted,
 * the guard kills its containers, which no podkeep could find any more, and removes what they had outside of
 * the folder; it finds that by the runtime's key. It exits when podkeep is gone and no container is left, or
 * when another guard has started.
 */

/** The fields of /proc/PID/stat: the sixth is the session, the 22nd the start time. */
const STAT_FIELDS = `pid _ _ _ _ session ${'_ '.repeat(15)}start _`;

export const INIT_SCRIPT = `# Runs one container: see src/runtimes/process/scripts.ts.
dir=$1
shift
pid=$$ session=$$ start=- boot=-
if [ -r /proc/self/stat ]; then
  read -r ${STAT_FIELDS} </proc/self/stat
  read -r boot </proc/sys/kernel/random/boot_id
fi
set -C
{ echo "$pid $start $boot $session" >"$dir/claim"; } 2>/dev/null || exit 0
set +C
exec 3<>"$dir/state" 6>&2 2>"$dir/trouble"
umask 022
whole_group=
. "$dir/setup.sh" || { echo failed >&3; exit 125; }
(
  if [ -r /proc/self/stat ]; then
    read -r ${STAT_FIELDS} </proc/self/stat
    echo "main $pid $start" >&3
  else
    echo "main $(exec sh -c 'echo $PPID') -" >&3
  fi
  exec "$@" 5<&0 <"$dir/run.sh" 2>&6 6>&-
)
echo "exit $?" >&3
[ -z "$whole_group" ] || kill -KILL 0
`;

export const GUARD_SCRIPT = `# Ends the containers of a folder that went away: see src/runtimes/process/scripts.ts.
folder=$1 keeper=$2 key=$3
# Calls its argument with each process that runs a container of this folder.
each_init() {
  if [ -d /proc/self ]; then
    for proc in /proc/[0-9]*; do
      words=
      { read -r words <"$proc/cmdline"; } 2>/dev/null
      case $words in
        *"$folder/init.sh$folder/"* | *"$folder/init.sh $folder/"* | \\
        *"$folder/pause.sh$folder/"* | *"$folder/pause.sh $folder/"*)
          "$1" "\${proc#/proc/}" ;;
      esac
    done
  else
    for pid in $(pgrep -f "$folder/init.sh"); do "$1" "$pid"; done
  fi
}
found() { any=yes; }
# One may end because another does; its group is still to be ended then.
list=
add() { list="$list $1"; }
# Outside of a process namespace, only its group shows what belongs to it.
end() { kill -KILL "-$1" 2>/dev/null; kill -KILL "$1" 2>/dev/null; }
while [ -e "$folder/init.sh" ]; do
  sleep 2
  # Another guard has come, or nobody is needed any more.
  owner=
  { read -r owner <"$folder/guard"; } 2>/dev/null
  [ "$owner" = $$ ] || [ ! -e "$folder/init.sh" ] || exit 0
  kill -0 "$keeper" 2>/dev/null && continue
  any=
  each_init found
  [ -n "$any" ] || exit 0
done
each_init add
for pid in $list; do end "$pid"; done
sleep 0.2
{
  umount /run/podkeep/"$key"/*
  ip link del "pk-$key"
  grep -l "^$key " /run/podkeep/ids/* | xargs rm -f
  rm -rf /run/podkeep/"$key" /dev/shm/podkeep-"$key"-* /run/podkeep-"$key"-* /run/user/*/podkeep-"$key"-*
  for base in /sys/fs/cgroup/podkeep-"$key" /sys/fs/cgroup/*/podkeep-"$key"; do
    rmdir "$base"/* "$base"
  done
} 2>/dev/null
`;
