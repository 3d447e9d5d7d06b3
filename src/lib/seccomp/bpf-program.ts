/**
 * Assembles a program in classic BPF, from its last instruction to its first.
 *
 * Jumps in BPF only go forward, conditional ones at most 255 instructions. Because the program is written
 * backwards, the target of a jump always exists already, and its distance is known. If the target is too far
 * away, a nearer one is inserted: a copy of the target if that is a return, otherwise an unconditional jump,
 * which may be long.
 *
 *     written    last ◀──────────────────────────────────────── first
 *     runs       load number ─▶ number >= 60? ─▶ … ─▶ return
 *
 *   1. Every jump ends within the program, at an instruction that comes after the jump.
 *   2. Every path ends with a return: each instruction is created with the instruction that follows it.
 */
import { assert } from '../assert.ts';

/** The number of an instruction, counted from the end of the program. */
export type Label = number;

export type Comparison = 'equal' | 'greater' | 'greater-or-equal' | 'any-bit';

interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly k: number;
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP = 0x05;
const RETURN = 0x06;
const COMPARISONS: Readonly<Record<Comparison, number>> = {
  equal: 0x15,
  greater: 0x25,
  'greater-or-equal': 0x35,
  'any-bit': 0x45,
};
const JUMP_MAX = 255;
const INSTRUCTION_BYTES = 8;

export class BpfProgram {
  /** The last instruction of the program is the first of the list. */
  readonly #backwards: Instruction[] = [];
  /** The newest copy of each return. */
  readonly #returns = new Map<number, Label>();

  get length(): number {
    return this.#backwards.length;
  }

  /** Ends the program with a value. */
  return(value: number): Label {
    return this.#return(value, 0);
  }

  /** Loads a word of the call's data, then continues at `next`. */
  load(offset: number, next: Label): Label {
    return this.#before(next, { code: LOAD_WORD, ifTrue: 0, ifFalse: 0, k: offset });
  }

  /** Applies `mask` to the loaded word, then continues at `next`. */
  and(mask: number, next: Label): Label {
    return this.#before(next, { code: AND, ifTrue: 0, ifFalse: 0, k: mask });
  }

  /** Compares the loaded word with `k`, unsigned. */
  branch(comparison: Comparison, k: number, ifTrue: Label, ifFalse: Label): Label {
    if (ifTrue === ifFalse) return ifTrue;
    // Reaching the second target may need one more instruction.
    const nearTrue = this.#near(ifTrue, 1);
    const nearFalse = this.#near(ifFalse, 0);
    const here = this.length;
    const [skipTrue, skipFalse] = [distance(here, nearTrue), distance(here, nearFalse)];
    assert(Math.max(skipTrue, skipFalse) <= JUMP_MAX, `a jump skips ${skipTrue} or ${skipFalse}`);
    return this.#write({ code: COMPARISONS[comparison], ifTrue: skipTrue, ifFalse: skipFalse, k });
  }

  /** The program that starts at `entry`, as an array of the kernel's `struct sock_filter`. */
  toBytes(entry: Label): Uint8Array {
    assert(entry < this.length, `the program has no instruction ${entry}`);
    const instructions = this.#backwards.slice(0, entry + 1).reverse();
    const view = new DataView(new ArrayBuffer(instructions.length * INSTRUCTION_BYTES));
    for (const [index, { code, ifTrue, ifFalse, k }] of instructions.entries()) {
      const offset = index * INSTRUCTION_BYTES;
      view.setUint16(offset, code, true);
      view.setUint8(offset + 2, ifTrue);
      view.setUint8(offset + 3, ifFalse);
      view.setUint32(offset + 4, k, true);
    }
    return new Uint8Array(view.buffer);
  }

  /** If a return follows, the loaded word does not matter, and the instruction is left out. */
  #before(next: Label, instruction: Instruction): Label {
    if (this.#backwards[next]?.code === RETURN) return next;
    if (next !== this.length - 1) this.#jump(next);
    return this.#write(instruction);
  }

  /** A return that the next jump can reach even if `spare` more instructions are written in between. */
  #return(value: number, spare: number): Label {
    const written = this.#returns.get(value);
    if (written !== undefined && this.#reaches(written, spare)) return written;
    const label = this.#write({ code: RETURN, ifTrue: 0, ifFalse: 0, k: value });
    this.#returns.set(value, label);
    return label;
  }

  #near(target: Label, spare: number): Label {
    if (this.#reaches(target, spare)) return target;
    const instruction = this.#backwards[target];
    if (instruction?.code === RETURN) return this.#return(instruction.k, spare);
    return this.#jump(target);
  }

  #reaches(target: Label, spare: number): boolean {
    return distance(this.length + spare, target) <= JUMP_MAX;
  }

  #jump(target: Label): Label {
    return this.#write({ code: JUMP, ifTrue: 0, ifFalse: 0, k: distance(this.length, target) });
  }

  #write(instruction: Instruction): Label {
    return this.#backwards.push(instruction) - 1;
  }
}

/** Instructions between a jump and its target. */
function distance(jump: Label, target: Label): number {
  return jump - target - 1;
}
