/** Implements the API verbs for any kind: what each reads from the request, and how it responds. */
import type { ReadJson } from '../decode/json-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import type { Turn } from '../../ports/clock.ts';
import { actionKey, type Action, type Actions } from '../objects/action.ts';
import { verbsOf } from '../registry/catalog.ts';
import { targetOf, type Answer, type Call } from '../registry/call.ts';
import {
  contentTypeOf,
  LARGE_BYTES,
  readBytes,
  readRequestObject,
  readOptions,
} from '../requests/body.ts';
import { Pace } from '../flow/pace.ts';
import type { ResourceAttributes, User } from '../objects/access.ts';
import type { KindDefinition, Verb, View } from '../objects/kind.ts';
import { checkVersionReached, listInTurns, type Listing } from '../registry/listing.ts';
import { isLongList, listStream } from './list-stream.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { wholeList } from '../registry/presentation.ts';
import {
  readDeleteOptions,
  readExactVersion,
  readListOptions,
  readWriteOptions,
  type DeleteOptions,
} from '../requests/options.ts';
import { returnsDeletedObject } from '../registry/deleted-object.ts';
import { negotiate } from '../requests/negotiation.ts';
import { managerOf } from '../requests/field-manager-name.ts';
import {
  APPLY_TYPE,
  applyPatch,
  patchTypeOf,
  readPatch,
  type PatchType,
} from '../requests/patching.ts';
import { formatTime } from '../../api/values/time.ts';
import { writeThroughScale } from '../registry/scale-tracking.ts';
import { performApply } from './apply-verb.ts';
import { replayed } from '../objects/conversion-replay.ts';
import { checkName } from '../registry/preconditions.ts';
import type { Writing } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { selectionOf } from '../registry/selection.ts';
import { deletionOptions, operationOptions } from '../requests/operation-options.ts';
import { methodNotAllowed, notFound, StatusError, successStatus } from '../objects/status.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { convertedState, watchEvents, watchLines, type WatchRequest } from '../watch/watching.ts';

/** For all clients together, so that a list does not wait for the initial events of a thousand watches. */
const LIST_PIECES_PER_TURN = 4;
const WATCH_PIECES_PER_TURN = 4;

/** The body of a subresource is not an object of the kind, so the kind's rules do not apply. */
const NO_RULES = { rules: {} };

type WatchScope = Omit<WatchRequest, 'presenter' | 'pace' | 'onEvents' | 'onEnd'>;

/** Throws a StatusError unless the user may. */
export type Authorize = (user: User, wanted: ResourceAttributes) => void;

export class Verbs {
  readonly #parts: ServerParts;
  readonly #authorize: Authorize;
  readonly #actions: Actions;
  readonly #listPace: Pace;
  readonly #watchPace: Pace;
  readonly #metrics: RequestMetrics;

  constructor(parts: ServerParts, actions: Actions, metrics: RequestMetrics, authorize: Authorize) {
    this.#parts = parts;
    this.#authorize = authorize;
    this.#metrics = metrics;
    this.#actions = actions;
    this.#listPace = new Pace(parts.clock, LIST_PIECES_PER_TURN);
    this.#watchPace = new Pace(parts.clock, WATCH_PIECES_PER_TURN);
  }

  perform(verb: Verb, call: Call): Promise<Answer> | Answer {
    const { warning } = call.definition;
    if (warning !== undefined) call.warnings.push(warning);
    switch (verb) {
      case 'get':
        return this.#get(call);
      case 'list':
        return this.#list(call);
      case 'watch':
        return this.#watch(call);
      case 'create':
        return this.#create(call);
      case 'update':
        return this.#update(call);
      case 'patch':
        return this.#patch(call);
      case 'delete':
        return this.#delete(call);
      case 'deletecollection':
        return this.#deleteCollection(call);
    }
  }

  #get(call: Call): Promise<Answer> | Answer {
    const { made } = call.definition;
    if (made) return this.#getMade(call, made);
    checkVersionReached(this.#parts.store, readExactVersion(call.query.get('resourceVersion')));
    const read = replayed(() => this.#parts.registry.get(targetOf(call)));
    if (read instanceof Promise) return read.then((object) => this.#answerWith(call, object));
    return this.#answerWith(call, read);
  }

  #answerWith(call: Call, object: JsonObject): Answer {
    call.part?.view?.checkRead?.(object);
    return { code: 200, body: this.#present(call, object) };
  }

  async #getMade(call: Call, made: NonNullable<KindDefinition['made']>): Promise<Answer> {
    const { definition, path } = call;
    const { name } = path;
    const objects = await made({ namespace: path.namespace ?? '', name });
    const found = objects.find((object) => nameOf(object) === name);
    if (!found) throw notFound(definition, name ?? '');
    return { code: 200, body: this.#present(call, found) };
  }

  async #list(call: Call): Promise<Answer> {
    const { query, definition, path } = call;
    const options = readListOptions(query);
    if (definition.made) {
      const selects = selectionOf(definition, options, null);
      const objects = await definition.made({ namespace: path.namespace ?? '', name: null });
      const items = objects.filter((object) => selects(object));
      return this.#presentList(call, { items, metadata: {} });
    }
    const { store, clock } = this.#parts;
    const listing = await listInTurns(store, definition, path.namespace ?? '', options, clock);
    return this.#presentList(call, listing);
  }

  /** A long list is sent in pieces. Clients in this process get the objects themselves. */
  #presentList({ request, presenter, trail }: Call, listing: Listing): Answer {
    const list = presenter.list(listing);
    const isLong = !request.inProcess && !trail?.recordsResponse && isLongList(list);
    const body = isLong ? listStream(list, this.#listPace) : wholeList(list);
    return { code: 200, body };
  }

  #watch(call: Call): Promise<Answer> | Answer {
    const { definition, path, query } = call;
    const { store, clock } = this.#parts;
    const options = readListOptions(query, true);
    const { name } = path;
    const namespace = path.namespace ?? '';
    const scope = { store, clock, definition, namespace, name, options };
    const converting = convertedState(scope);
    if (!converting) return this.#beginWatch(call, scope);
    return converting.then((state) => this.#beginWatch(call, { ...scope, state }));
  }

  #beginWatch({ request, definition, presenter, onEnd }: Call, scope: WatchScope): Answer {
    const pace = this.#watchPace;
    let ended = (): void => {};
    const watch = {
      ...scope,
      pace,
      presenter: presenter.watch(),
      onEvents: (count: number) => this.#metrics.watchEvents(definition, count),
      onEnd: () => {
        ended();
        onEnd?.();
      },
    };
    const body = request.inProcess ? watchEvents(watch) : watchLines(watch);
    // Counted only now: a watch that cannot start at its resourceVersion is not a long-running request.
    ended = this.#metrics.watch(request);
    return { code: 200, body };
  }

  async #create(call: Call): Promise<Answer> {
    const { request, query, definition, path, part, presenter, warnings, turn } = call;
    const { dryRun, fieldValidation, fieldManager } = readWriteOptions(query, 'CreateOptions');
    const action = this.#actions.get(actionKey(definition, path.subresource));
    const isKept = !part && verbsOf(definition).includes('get');
    if (!isKept && !action) throw methodNotAllowed();
    // Reviews, tokens, bindings and evictions cannot be printed as a Table.
    if (action && call.form.as === 'Table') negotiate(request.headers.get('accept'), false);
    const body = await readRequestObject(request, part?.body ?? definition, fieldValidation, turn);
    if (body.isLarge) await turn();
    warnings.push(...body.warnings);
    call.trail?.requested(part ? NO_RULES : definition, body.object);
    const writing = {
      ...writingOf(call),
      dryRun,
      options: operationOptions('CreateOptions', query),
    };
    if (action) return this.#act(call, action, body.object, writing);
    const namespace = path.namespace ?? '';
    const manager = managerOfCall(call, fieldManager);
    const wanted = { ...writing, definition, namespace, body: body.object, manager };
    const created = await this.#parts.registry.create(wanted);
    return { code: 201, body: presenter.one(created) };
  }

  /** Webhooks and policies see the body of a subresource as an object that is created. */
  async #act(
    call: Call,
    action: Action,
    body: JsonObject,
    writing: Writing & { readonly user: User; readonly dryRun: boolean },
  ): Promise<Answer> {
    const { path, user } = call;
    const target = targetOf(call);
    const changed = await this.#parts.registry.askAbout({
      ...writing,
      ...target,
      subresource: path.subresource,
      body,
    });
    return action({ ...target, body: changed, user, dryRun: writing.dryRun });
  }

  #present({ part, presenter }: Call, object: JsonObject): JsonObject {
    return presenter.one(part?.view?.read(object) ?? object);
  }

  async #update(call: Call): Promise<Answer> {
    const { request, query, definition, path, part, warnings, turn } = call;
    const view = part?.view;
    const { dryRun, fieldValidation, fieldManager } = readWriteOptions(query, 'UpdateOptions');
    const manager = managerOfCall(call, fieldManager);
    const shown = view?.definition ?? definition;
    const body = await readRequestObject(request, shown, fieldValidation, turn);
    if (body.isLarge) await turn();
    warnings.push(...body.warnings);
    call.trail?.requested(shown, body.object);
    checkName(body.object, path.name ?? '');
    if (!part && definition.rules.createsOnUpdate && !this.#parts.registry.has(targetOf(call))) {
      return this.#createAt(call, body.object, dryRun, manager);
    }
    const object = await this.#parts.registry.update({
      ...targetOf(call),
      ...writingOf(call),
      subresource: path.subresource,
      dryRun,
      options: operationOptions('UpdateOptions', query),
      hasUidPrecondition: true,
      manager,
      isTracked: view !== undefined,
      change: (old) =>
        view ? this.#throughScale(call, manager, view, old, body.object) : body.object,
    });
    return { code: 200, body: this.#present(call, object) };
  }

  /** An update (PUT) of an object that does not exist creates it. */
  async #createAt(call: Call, body: JsonObject, dryRun: boolean, manager: string): Promise<Answer> {
    const { definition, path, presenter, query } = call;
    const options = operationOptions('CreateOptions', query);
    const target = { definition, namespace: path.namespace ?? '', body };
    const wanted = { ...writingOf(call), ...target, dryRun, options, manager };
    return { code: 201, body: presenter.one(await this.#parts.registry.create(wanted)) };
  }

  async #patch(call: Call): Promise<Answer> {
    const { request, query, path, part, warnings } = call;
    const view = part?.view;
    const definition = view?.definition ?? call.definition;
    if (contentTypeOf(request) === APPLY_TYPE) {
      return performApply(this.#parts, call, this.#authorize, (object) =>
        this.#present(call, object),
      );
    }
    const options = readWriteOptions(query, 'PatchOptions', false);
    const { dryRun, fieldValidation: validation } = options;
    const manager = managerOfCall(call, options.fieldManager);
    const type = patchTypeOf(contentTypeOf(request), definition);
    const { inProcess } = request;
    const { value: body, duplicates } = inProcess
      ? { value: inProcess.object ?? null, duplicates: [] }
      : await readLargePatch(request, type, call.turn);
    call.trail?.requestedRaw(body);
    const known = [...warnings];
    const patch = (before: JsonObject): JsonObject =>
      applyPatch(definition, before, { type, body, validation, duplicates }, (found) => {
        // The warnings of an attempt that failed with a conflict are dropped.
        warnings.splice(0, warnings.length, ...known, ...found);
      });
    const object = await this.#parts.registry.update({
      ...targetOf(call),
      ...writingOf(call),
      subresource: path.subresource,
      dryRun,
      options: operationOptions('PatchOptions', query),
      manager,
      isTracked: view !== undefined,
      change: (old) =>
        view ? this.#throughScale(call, manager, view, old, patch(view.read(old))) : patch(old),
    });
    return { code: 200, body: this.#present(call, object) };
  }

  #throughScale(
    { definition, path }: Call,
    manager: string,
    view: View,
    old: JsonObject,
    scale: JsonObject,
  ): JsonObject {
    const { clock, catalog } = this.#parts;
    const now = formatTime(clock.now());
    const find = catalog.find.bind(catalog);
    const subresource = path.subresource ?? '';
    return writeThroughScale({ definition, subresource, manager, now, find }, view, old, scale);
  }

  async #delete(call: Call): Promise<Answer> {
    const { request, query, definition, path, presenter } = call;
    const body = await readOptions(request, call.turn);
    call.trail?.requestedDeletion(body);
    const options = readDeleteOptions(query, body);
    warnOfOrphans(call, options);
    const { object, isGone, isGraceful } = await this.#parts.registry.remove(
      targetOf(call),
      options,
      { ...writingOf(call), options: deletionOptions(body, query) },
    );
    if (!isGone || isGraceful || returnsDeletedObject(definition))
      return { code: 200, body: presenter.one(object) };
    const { group, resource: kind } = definition;
    const uid = textOf(metadataOf(object)['uid']);
    const details = { name: path.name ?? '', ...(group !== '' && { group }), kind, uid };
    return { code: 200, body: successStatus(details) };
  }

  async #deleteCollection(call: Call): Promise<Answer> {
    const { request, query, definition, path } = call;
    const { store, registry, clock } = this.#parts;
    const object = await readOptions(request, call.turn);
    call.trail?.requestedDeletion(object);
    const deletion = readDeleteOptions(query, object);
    warnOfOrphans(call, deletion);
    const options = readListOptions(query);
    const writing = { ...writingOf(call), options: deletionOptions(object, query) };
    const listing = await listInTurns(store, definition, path.namespace ?? '', options, clock);
    for (const object of listing.items) {
      const { name, namespace } = metadataOf(object);
      const target = { definition, namespace: textOf(namespace), name: textOf(name) };
      await registry.remove(target, deletion, writing).catch((error: unknown) => {
        // Another client has already deleted the object.
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      });
    }
    return this.#presentList(call, listing);
  }
}

async function readLargePatch(request: ApiRequest, type: PatchType, turn: Turn): Promise<ReadJson> {
  const bytes = await readBytes(request);
  const isLarge = bytes.byteLength > LARGE_BYTES;
  if (isLarge) await turn();
  const patch = readPatch(new TextDecoder().decode(bytes), type);
  // Performing the request takes as long as decoding it.
  if (isLarge) await turn();
  return patch;
}

function writingOf({ user, warnings, trail }: Call): Writing & { readonly user: User } {
  const annotate = trail && ((key: string, value: string) => trail.annotate({ [key]: value }));
  return { user, warn: warnOnce(warnings), annotate };
}

/** By default, deleting a Job leaves its pods, which surprises clients. */
function warnOfOrphans({ definition, warnings }: Call, { propagation }: DeleteOptions): void {
  const { orphansWarning } = definition.rules;
  if (propagation === null && orphansWarning !== undefined) warnings.push(orphansWarning);
}

function managerOfCall({ request }: Call, fieldManager: string): string {
  return managerOf(fieldManager, request.headers.get('user-agent'));
}

/** A retried write warns again, so each warning is sent only once. */
function warnOnce(warnings: string[]): (sentence: string) => void {
  return (sentence) => {
    if (!warnings.includes(sentence)) warnings.push(sentence);
  };
}
