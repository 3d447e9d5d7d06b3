/**
 * Runs a seccomp filter as the kernel would: first its check of the program, then the program. Written
 * from the kernel's documentation, and shares nothing with the compiler.
 */
export interface SeccompData {
  readonly number: number;
  readonly architecture: number;
  /** Six, of 64 bits. */
  readonly args: readonly bigint[];
}

interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

export interface Run {
  readonly result: number;
  readonly steps: number;
  /** Offsets of the words that the program read, in order. */
  readonly loads: readonly number[];
}

export function runFilter(program: Uint8Array, data: SeccompData): Run {
  const instructions = check(decode(program));
  const memory = encode(data);
  const loads: number[] = [];
  let accumulator = 0;
  let counter = 0;
  for (let steps = 1; ; steps += 1) {
    const { code, jt, jf, k } = at(instructions, counter);
    counter += 1;
    if (code === 0x06) return { result: k, steps, loads };
    if (code === 0x20) {
      loads.push(k);
      accumulator = memory.getUint32(k, true);
    } else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x05) counter += k;
    else if (code === 0x15) counter += accumulator === k ? jt : jf;
    else if (code === 0x25) counter += accumulator > k ? jt : jf;
    else if (code === 0x35) counter += accumulator >= k ? jt : jf;
    else if (code === 0x45) counter += (accumulator & k) === 0 ? jf : jt;
  }
}

function decode(program: Uint8Array): readonly Instruction[] {
  if (program.length % 8 !== 0) throw new Error(`${program.length} bytes are no instructions`);
  const view = new DataView(program.buffer, program.byteOffset, program.length);
  return Array.from({ length: program.length / 8 }, (_, index) => ({
    code: view.getUint16(index * 8, true),
    jt: view.getUint8(index * 8 + 2),
    jf: view.getUint8(index * 8 + 3),
    k: view.getUint32(index * 8 + 4, true),
  }));
}

/** What the kernel refuses with EINVAL. */
function check(instructions: readonly Instruction[]): readonly Instruction[] {
  const { length } = instructions;
  if (length === 0 || length > 4096) throw new Error(`${length} instructions`);
  if (instructions.at(-1)?.code !== 0x06) throw new Error('the program does not end with a return');
  for (const [index, { code, jt, jf, k }] of instructions.entries()) {
    const isJump = [0x15, 0x25, 0x35, 0x45].includes(code);
    if (!isJump && ![0x05, 0x06, 0x20, 0x54].includes(code)) {
      throw new Error(`instruction ${index} is unknown: ${code}`);
    }
    const furthest = isJump ? Math.max(jt, jf) : code === 0x05 ? k : 0;
    if (index + 1 + furthest > length) throw new Error(`instruction ${index} jumps out`);
    if (code === 0x20 && (k % 4 !== 0 || k > 60)) throw new Error(`${index} loads word ${k}`);
  }
  return instructions;
}

function encode({ number, architecture, args }: SeccompData): DataView {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, number, true);
  view.setUint32(4, architecture, true);
  for (const [index, arg] of args.entries()) view.setBigUint64(16 + index * 8, arg, true);
  return view;
}

function at(instructions: readonly Instruction[], index: number): Instruction {
  const instruction = instructions[index];
  if (!instruction) throw new Error(`the program has no instruction ${index}`);
  return instruction;
}
