/** Devices of the machine: existing ones, and those that a container creates for itself. */
import { battery, type BatteryItem } from '../harness/battery.ts';
import { perl } from '../harness/perl.ts';
import type { PodShape } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';

/** Creates a device in each writable folder, and reads from it. */
function make(kind: 'b' | 'c', numbers: string, what: string): string {
  return perl(`
    my ($major, $minor) = ${numbers};
    if (defined $major) {
      for my $folder ('/', '/tmp', '/work', '/dev', '/dev/shm', '/run', '/var/tmp') {
        my $file = "$folder/podkeep-attack-${kind}$major-$minor";
        my $mode = ${kind === 'b' ? '0060666' : '0020666'};
        sys('mknodat', -100, $file, $mode, ($major << 8) | $minor) == 0 or next;
        print "made $file\\n";
        sysopen(my $h, $file, O_RDONLY | O_NONBLOCK) or do { unlink $file; next };
        print "SUCCEEDED: ${what} was opened through $file\\n";
        unlink $file;
      }
    }`);
}

const DISK = `do { my $p = slurp('/proc/partitions'); $p =~ /^\\s+(\\d+)\\s+(\\d+)\\s+\\d+\\s+\\w/m ? ($1, $2) : (254, 0) }`;
const ALLOWED =
  'null zero full random urandom tty ptmx console stdin stdout stderr fd core shm pts mqueue termination-log';

const ITEMS: readonly BatteryItem[] = [
  {
    id: 'present',
    tries: 'It looks in /dev for devices that containers do not usually have.',
    script: `for f in $(find /dev -type b -o -type c 2>/dev/null); do case " ${ALLOWED} " in *" $(basename $f) "*) ;; *) case $f in /dev/pts/*) ;; *) echo "SUCCEEDED: $f is there";; esac;; esac; done`,
  },
  {
    id: 'disks',
    tries: 'It opens disks of the machine by their names.',
    script: perl(
      `for (glob('/dev/vd* /dev/sd* /dev/nvme* /dev/dm-* /dev/loop* /dev/mapper/*')) { sysopen(my $h, $_, O_RDONLY) and print "SUCCEEDED: $_ was opened\\n" }`,
    ),
  },
  {
    id: 'memory',
    tries: 'It opens the memory, the ports and the log of the kernel by their names.',
    script: perl(
      `for (qw(/dev/mem /dev/kmem /dev/port /dev/kmsg /dev/fuse /dev/net/tun /dev/kvm /dev/loop-control /dev/hpet)) { sysopen(my $h, $_, O_RDONLY | O_NONBLOCK) and print "SUCCEEDED: $_ was opened\\n" }`,
    ),
  },
  {
    id: 'make-disk',
    tries: 'It makes the block device of a disk of the machine and opens it.',
    script: make('b', DISK, 'a disk'),
  },
  {
    id: 'make-mem',
    tries: 'It makes the device of the memory and opens it.',
    script: make('c', '(1, 1)', 'the memory'),
  },
  {
    id: 'make-kmsg',
    tries: 'It makes the device of the log of the kernel and opens it.',
    script: make('c', '(1, 11)', 'the log of the kernel'),
  },
  {
    id: 'make-fuse',
    tries: 'It makes the device of file systems in user space and opens it.',
    script: make('c', '(10, 229)', 'fuse'),
  },
  {
    id: 'make-loop-control',
    tries: 'It makes the device that makes loop devices and opens it.',
    script: make('c', '(10, 237)', 'loop-control'),
  },
  {
    id: 'make-console',
    tries: 'It makes the device of the first terminal of the machine and opens it.',
    script: make('c', '(4, 0)', 'the console') + make('c', '(4, 64)', 'the serial console'),
  },
  {
    id: 'loop-mount',
    tries: 'It mounts a disk of the machine.',
    script: `mkdir -p /tmp/disk; for d in $(awk 'NR > 2 { print $4 }' /proc/partitions); do mknod /tmp/d-$d b $(awk -v n=$d '$4 == n { print $1, $2 }' /proc/partitions) && mount -o ro /tmp/d-$d /tmp/disk && echo "SUCCEEDED: $d was mounted" && umount /tmp/disk; done 2>/dev/null; true`,
  },
];

function suite(name: string, shape: PodShape): readonly Attack[] {
  const pod = { ...shape, volumes: { work: '/work' } };
  return battery({ class: 'devices', name, pod, items: ITEMS });
}

export const DEVICES: readonly Attack[] = [
  ...suite('restricted', {}),
  ...suite('as-root', { as: 'root' }),
  ...suite('mknod-right', { as: 'root', capabilities: ['MKNOD'] }),
];
