/** Lists the valid stop signals, in the order in which the API's error messages list them. */

const PLAIN =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT ' +
  'STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX';

const REAL_TIME = [
  ...Array.from({ length: 15 }, (_, index) => `RTMIN+${index + 1}`),
  ...Array.from({ length: 14 }, (_, index) => `RTMAX-${index + 1}`),
];

export const LINUX_SIGNALS: readonly string[] = [...PLAIN.split(' '), ...REAL_TIME]
  .map((name) => `SIG${name}`)
  .sort();

export const WINDOWS_SIGNALS: readonly string[] = ['SIGKILL', 'SIGTERM'];
