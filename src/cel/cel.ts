/**
 * CEL, the Common Expression Language, with the functions that Kubernetes adds to it. This file is the entry:
 * other layers import CEL from here.
 *
 *     names and types ─┐
 *     text ────────────┴─ compileProgram ──> Program { type, uses, run }     once for each text
 *     values, budget ──── program.run ─────> value                           for each evaluation
 *
 * - Names: the caller declares every variable with its type, in an ordered map. A program reads only those, its
 *   own macro variables and the library (library/library.ts); `program.uses` has the names it reads. Names of
 *   fields that are no identifiers of CEL are declared with `escapeName`.
 * - Types: expressions are type checked when they are compiled. `program.type` is the type of the result; a
 *   caller that needs a `bool` refuses another type then. A variable of type `DYN` is checked at run time.
 * - Values: `int` is a bigint, `double` a number, `string` a string; lists, maps and objects are ListValue,
 *   MapValue and ObjectValue. `run` takes the values of the variables in the order in which they were declared.
 * - Cost: every evaluation spends from a Budget. One unit is about one step, so the budget also bounds time.
 *
 * Errors, by when they occur:
 *
 * | thrown by        | error        | meaning                                               |
 * | ---------------- | ------------ | ----------------------------------------------------- |
 * | `compileProgram` | CelFault     | the text is no expression; the message shows where    |
 * | `compileProgram` | FaultList    | all faults of an expression that parses               |
 * | `compileProgram` | CelFailure   | a part would fail whenever it is evaluated            |
 * | `program.run`    | CelError     | the evaluation failed: no such key, division by zero  |
 * | `program.run`    | CostExceeded | the budget is spent; a CelError, too                  |
 *
 * Invariants:
 * 1. A program has no state: it may be run any number of times, and the same values give the same result.
 * 2. No program runs longer than its budget allows, patterns included (lib/re2/pattern.ts).
 * 3. Nothing here reads a clock, draws a random number or knows an API server.
 */
export { compileProgram, FaultList, type Program } from './compiler.ts';
export { escapeName } from './escaping.ts';
export { Budget, CelError, CelFailure, CelFault, CostExceeded } from './fault.ts';
export { patchMessages } from './library/json-patches.ts';
export { printDuration, printTimestamp, readDuration, readTimestamp } from './library/time-text.ts';
export { BOOL, DYN, printType, STRING, type CelType } from './type.ts';
export {
  type AuthorizerParts,
  Duration,
  keyText,
  ListValue,
  MapValue,
  MessageValue,
  ObjectValue,
  Opaque,
  OptionalValue,
  Timestamp,
  Uint,
  type CelValue,
  type ObjectFields,
} from './value.ts';
