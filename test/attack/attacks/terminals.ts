/**
 * Terminals. A container with a terminal has its own; those of the machine, and of other containers, are
 * out of its reach, by name and by the calls that type into a terminal.
 */
import { MachineTerminal } from '../harness/machine-terminal.ts';
import { podAttack, WAIT, type PodAttack } from '../harness/pod-attack.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const terminalOf = (target: Target): Promise<MachineTerminal | undefined> =>
  target.once('terminal', async () => {
    const terminal = await MachineTerminal.open(target);
    target.atEnd(() => terminal?.close());
    return terminal;
  });

/** Writes its nonce to every terminal that it finds but its own, and types it with TIOCSTI. */
const WRITE = `perl -e '
  my $own = readlink("/proc/self/fd/0") // ""; my $text = "written-$ENV{NONCE}\\n";
  for my $file (glob("/dev/pts/[0-9]* /dev/tty* /dev/console")) {
    next if $file eq $own || $file eq "/dev/tty";
    open(my $h, "+>", $file) or next; print "opened $file\\n";
    syswrite($h, $text); ioctl($h, 0x5412, my $c = $_) for split //, $text;
  }
  for my $ptmx ("/dev/ptmx", "/dev/pts/ptmx") {
    open(my $m, "+<", $ptmx) or next; my $n = pack("i", 0);
    ioctl($m, 0x80045430, $n) and print "ptmx gives ", unpack("i", $n), "\\n";
  }
'; ls -l /dev/pts 2>/dev/null; echo "own terminal: $(readlink /proc/self/fd/0)"; echo LISTED`;

function terminalAttack(attack: Omit<PodAttack, 'class' | 'check' | 'proof'>): Attack {
  return podAttack({
    ...attack,
    class: 'terminals',
    proof: /LISTED/,
    pod: async (target) => {
      await terminalOf(target);
      return typeof attack.pod === 'function' ? attack.pod(target) : (attack.pod ?? {});
    },
    check: async (target, { nonce }) => {
      const text = (await terminalOf(target))?.text ?? '';
      return text.includes(`written-${nonce}`)
        ? 'it wrote to a terminal of the machine'
        : undefined;
    },
  });
}

const TTY = { container: { tty: true, stdin: true } };
const exec = (tty: boolean): NonNullable<PodAttack['drive']> => {
  return async (target, { name }) => {
    const command = ['sh', '-c', WRITE];
    const stdin = tty ? { stdin: '' } : {};
    return (await target.exec({ pod: name, container: 'main', command, tty, ...stdin })).output;
  };
};

export const TERMINALS: readonly Attack[] = [
  terminalAttack({
    id: 'without',
    tries: 'A container without a terminal writes to terminals of the machine.',
    script: WRITE,
  }),
  terminalAttack({
    id: 'main',
    tries: 'A container with a terminal writes to terminals of the machine.',
    pod: TTY,
    script: WRITE,
  }),
  terminalAttack({
    id: 'main-as-root',
    tries: 'A container of user 0 with a terminal writes to terminals of the machine.',
    pod: { ...TTY, as: 'root' },
    script: WRITE,
  }),
  terminalAttack({
    id: 'exec',
    tries: 'A command of kubectl exec -t writes to terminals of the machine.',
    script: WAIT,
    drive: exec(true),
  }),
  terminalAttack({
    id: 'exec-as-root',
    tries: 'A command of user 0 of kubectl exec -t writes to terminals of the machine.',
    pod: { as: 'root' },
    script: WAIT,
    drive: exec(true),
  }),
  terminalAttack({
    id: 'exec-beside-terminal',
    tries: 'A command of kubectl exec in a container with a terminal writes to other terminals.',
    pod: TTY,
    script: WAIT,
    drive: exec(false),
  }),
  podAttack({
    class: 'terminals',
    id: 'devpts-of-machine',
    tries: 'A container with a terminal sees the terminals of the machine in its /dev/pts.',
    pod: async (target) => {
      await terminalOf(target);
      return TTY;
    },
    script: 'ls /dev/pts | tr "\\n" " "; echo LISTED',
    proof: /LISTED/,
    check: async (target, _pod, output) => {
      const number = (await terminalOf(target))?.number ?? -1;
      const names = /^(.*)LISTED/m.exec(output)?.[1]?.split(/\s+/) ?? [];
      // A file system of its own counts from zero, and has one terminal or none.
      const others = names.filter((name) => /^\d+$/.test(name) && Number(name) > 0);
      return names.includes(String(number)) && others.length > 0
        ? `it sees the terminals ${others.join(', ')}`
        : undefined;
    },
  }),
];
