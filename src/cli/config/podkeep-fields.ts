/**
 * Lists the fields of PodkeepConfiguration (podkeep.dev/v1alpha1), the settings that only podkeep has.
 *
 * The result has the form of the runtimes' options, so that it can be passed on unchanged.
 */
import path from 'node:path';
import { quantityValue } from '../../api/values/quantity.ts';
import { parseQuantity } from '../../api/values/quantity-text.ts';
import type { ImageDefaults, ImageMapping } from '../../runtimes/process/options.ts';
import {
  scriptsOf,
  type ContainerScript,
  type Runs,
  type ContainerScripts,
} from '../../runtimes/simulated/script.ts';
import { list, map, section, sparse } from './collections.ts';
import { choice, duration, flag, int, quantity, reject, text, type Kind } from './field-kinds.ts';
import { file } from './special-kinds.ts';

const ID_MAX = 2 ** 32 - 2;
const EXIT_CODE_MAX = 255;
const WINDOW = 32;

const imageFields = sparse({
  command: list(text()),
  folder: file(),
  ociLayout: file(),
  args: list(text('', true)),
  env: map(text('', true)),
  workingDir: text(),
  user: text(),
  stopSignal: text(),
});

const image: Kind<ImageMapping> = {
  initial: { command: [] },
  read(json, at) {
    const { ociLayout, folder, command, ...rest } = imageFields.read(json, at);
    if (ociLayout !== undefined) {
      const isMore = folder !== undefined || command !== undefined || Object.keys(rest).length > 0;
      if (isMore) at.addProblem('has an ociLayout, so it cannot have other fields');
      return { ociLayout };
    }
    const defaults: ImageDefaults = rest;
    if (folder !== undefined) return { ...defaults, folder, ...(command && { command }) };
    if (command !== undefined && command.length > 0) {
      const { workingDir } = defaults;
      return {
        ...defaults,
        command: fromFolder(command, at.folder),
        ...(workingDir && { workingDir: path.resolve(at.folder, workingDir) }),
      };
    }
    return reject(at, 'needs a command, a folder or an ociLayout', { command: [] });
  },
  write: () => undefined,
};

/** `./server` is relative to the folder of the configuration file; `server` is searched on the PATH. */
function fromFolder([program = '', ...rest]: readonly string[], folder: string): readonly string[] {
  return [program.includes('/') ? path.resolve(folder, program) : program, ...rest];
}

const exitCode = int(0, { max: EXIT_CODE_MAX, isPointer: true });
const stop = sparse({ after: duration('0s'), exitCode });
const execAnswer = sparse({
  after: duration('0s'),
  exitCode,
  stdout: text('', true),
  stderr: text('', true),
});

const scriptFields = sparse({
  create: duration('0s'),
  createError: text(),
  start: duration('0s'),
  startError: text(),
  life: duration('0s'),
  exitCode,
  exitReason: text(),
  output: list(
    section({
      after: duration('0s'),
      text: text('', true),
      stream: choice('stdout', ['stdout', 'stderr']),
      isPartial: flag(false),
    }),
  ),
  writes: list(section({ after: duration('0s'), size: quantity('0') })),
  terminationMessage: text(),
  stop: {
    initial: {},
    read: (json, at) => (json === 'ignored' ? json : stop.read(json, at)),
    write: () => undefined,
  } satisfies Kind<'ignored' | ReturnType<typeof stop.read>>,
  exec: execAnswer,
});

const script: Kind<ContainerScript> = {
  initial: {},
  read(json, at) {
    const { exec, writes: written, ...rest } = scriptFields.read(json, at);
    const writes = written?.map(({ afterMs, size }) => {
      return { afterMs, bytes: Number(quantityValue(parseQuantity(size))) };
    });
    return { ...rest, ...(writes && { writes }), ...(exec && { exec: () => exec }) };
  },
  write: () => undefined,
};

/** One script for all runs of a container, or a list with one for each. */
const runs: Kind<Runs> = {
  initial: {},
  read: (json, at) => (Array.isArray(json) ? list(script).read(json, at) : script.read(json, at)),
  write: () => undefined,
};

const scriptsFields = sparse({ containers: map(runs), images: map(runs) });

const scripts: Kind<ContainerScripts> = {
  initial: scriptsOf({}),
  read: (json, at) => scriptsOf(scriptsFields.read(json, at)),
  write: () => undefined,
};

const pullTimes = map(duration('0s'));

/** How long the pull of each image takes. */
const registry: Kind<ReadonlyMap<string, number>> = {
  initial: new Map(),
  read: (json, at) => new Map(Object.entries(pullTimes.read(json, at))),
  write: () => undefined,
};

export const PODKEEP_FIELDS = {
  images: map(image),
  process: sparse({
    isolation: choice('auto', ['auto', 'none']),
    network: choice('auto', ['auto', 'host']),
    masquerade: flag(false),
    cgroups: choice('auto', ['auto', 'none']),
    defaultUser: section({
      uid: int(0, { max: ID_MAX, isPointer: true }),
      gid: int(0, { max: ID_MAX, isPointer: true }),
    }),
    hiddenFolders: list(file()),
    tree: list(file()),
    helper: choice('auto', ['auto', 'none']),
  }),
  simulated: sparse({ scripts: scripts, images: list(text()), registry }),
  /** Alert rules: a folder with files, whether the rules that ship with podkeep are evaluated, and commands run. */
  alerts: section({ rules: file(), defaults: flag(true), commands: flag(false) }),
  /** How many status writes may be under way at once. */
  statusWriteWindow: int(WINDOW, { min: 1 }),
};
