/**
 * The fields of PodkeepConfiguration (podkeep.dev/v1alpha1): what only podkeep has.
 *
 * What comes out has the form that the runtimes take it in, so that whoever opens one passes it on.
 */
import { quantityValue } from '../../api/quantity.ts';
import { parseQuantity } from '../../api/quantity-text.ts';
import type { ImageDefaults, ImageMapping } from '../../runtimes/process/options.ts';
import {
  scriptsOf,
  type ContainerScript,
  type Runs,
  type ScriptBook,
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
  read(json, place) {
    const { ociLayout, folder, command, ...rest } = imageFields.read(json, place);
    if (ociLayout !== undefined) {
      const isMore = folder !== undefined || command !== undefined || Object.keys(rest).length > 0;
      if (isMore) place.complain('has an ociLayout, which says everything else itself');
      return { ociLayout };
    }
    const defaults: ImageDefaults = rest;
    if (folder !== undefined) return { ...defaults, folder, ...(command && { command }) };
    if (command !== undefined && command.length > 0) return { ...defaults, command };
    return reject(place, 'needs a command, a folder or an ociLayout', { command: [] });
  },
  write: () => undefined,
};

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
    read: (json, place) => (json === 'ignored' ? json : stop.read(json, place)),
    write: () => undefined,
  } satisfies Kind<'ignored' | ReturnType<typeof stop.read>>,
  exec: execAnswer,
});

const script: Kind<ContainerScript> = {
  initial: {},
  read(json, place) {
    const { exec, writes: written, ...rest } = scriptFields.read(json, place);
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
  read: (json, place) =>
    Array.isArray(json) ? list(script).read(json, place) : script.read(json, place),
  write: () => undefined,
};

const bookFields = sparse({ containers: map(runs), images: map(runs) });

const book: Kind<ScriptBook> = {
  initial: scriptsOf({}),
  read: (json, place) => scriptsOf(bookFields.read(json, place)),
  write: () => undefined,
};

const pullTimes = map(duration('0s'));

/** How long the pull of each image takes. */
const registry: Kind<ReadonlyMap<string, number>> = {
  initial: new Map(),
  read: (json, place) => new Map(Object.entries(pullTimes.read(json, place))),
  write: () => undefined,
};

export const PODKEEP_FIELDS = {
  images: map(image),
  process: sparse({
    isolation: choice('auto', ['auto', 'none']),
    network: choice('auto', ['auto', 'host']),
    cgroups: choice('auto', ['auto', 'none']),
    defaultUser: section({
      uid: int(0, { max: ID_MAX, isPointer: true }),
      gid: int(0, { max: ID_MAX, isPointer: true }),
    }),
    hiddenFolders: list(file()),
    tree: list(file()),
    helper: choice('auto', ['auto', 'none']),
  }),
  simulated: sparse({ scripts: book, images: list(text()), registry }),
  /** How many status writes may be under way at once. */
  statusWriteWindow: int(WINDOW, { min: 1 }),
};
