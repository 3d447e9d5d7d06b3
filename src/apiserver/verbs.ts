/** The verbs of the API on any kind: what each reads from the request, and what it answers. */
import type { Json, JsonObject } from '../lib/json.ts';
import type { ApiRequest } from '../ports/http-handler.ts';
import { actionKey, type Actions } from './action.ts';
import { verbsOf } from './catalog.ts';
import { targetOf, type Answer, type Call } from './call.ts';
import { contentTypeOf, LARGE_BYTES, readBytes, readObject, readOptions } from './decode/body.ts';
import { Pace } from './flow/pace.ts';
import type { Verb } from './kind.ts';
import { listInTurns, type Listing } from './listing.ts';
import { isLongList, listStream } from './list-stream.ts';
import { metadataOf, nameOf, textOf } from './metadata.ts';
import { wholeList } from './presentation.ts';
import { readDeleteOptions, readListOptions, readWriteOptions } from './options.ts';
import { applyPatch, patchTypeOf, readPatch, type PatchType } from './patching.ts';
import { checkName } from './registry.ts';
import type { ServerParts } from './server-parts.ts';
import { selectionOf } from './selection.ts';
import { methodNotAllowed, notFound, StatusError, successStatus } from './status.ts';
import { watchEvents, watchLines } from './watch/watching.ts';

/** Of long lists and of the state with which watches begin, for all clients together. */
const PIECES_PER_TURN = 4;

export class Verbs {
  readonly #parts: ServerParts;
  readonly #actions: Actions;
  readonly #pace: Pace;

  constructor(parts: ServerParts, actions: Actions) {
    this.#parts = parts;
    this.#actions = actions;
    this.#pace = new Pace(parts.clock, PIECES_PER_TURN);
  }

  perform(verb: Verb, call: Call): Promise<Answer> | Answer {
    const { warning } = call.definition;
    if (warning !== undefined) call.warnings.push(warning);
    switch (verb) {
      case 'get':
        return { code: 200, body: this.#get(call) };
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

  #get(call: Call): JsonObject {
    const object = this.#find(call);
    call.part?.view?.checkRead?.(object);
    return this.#present(call, object);
  }

  #find(call: Call): JsonObject {
    const { definition, path } = call;
    if (!definition.made) return this.#parts.registry.get(targetOf(call));
    const found = definition.made().find((object) => nameOf(object) === path.name);
    if (!found) throw notFound(definition, path.name ?? '');
    return found;
  }

  async #list(call: Call): Promise<Answer> {
    const { query, definition, path } = call;
    const options = readListOptions(query);
    if (definition.made) {
      const items = definition.made().filter(selectionOf(definition, options, null));
      return this.#presentList(call, { items, metadata: {} });
    }
    const { store, clock } = this.#parts;
    const listing = await listInTurns(store, definition, path.namespace ?? '', options, clock);
    return this.#presentList(call, listing);
  }

  /** A long list goes out piece by piece; callers in this process get the objects themselves. */
  #presentList({ request, presenter }: Call, listing: Listing): Answer {
    const list = presenter.list(listing);
    const isLong = !request.inProcess && isLongList(list);
    const body = isLong ? listStream(list, this.#pace) : wholeList(list);
    return { code: 200, body };
  }

  #watch({ request, query, definition, path, presenter, onEnd }: Call): Answer {
    const { store, clock } = this.#parts;
    const options = readListOptions(query);
    const { name } = path;
    const namespace = path.namespace ?? '';
    const scope = { store, clock, definition, namespace, name, options };
    const pace = this.#pace;
    const watch = { ...scope, pace, presenter: presenter.watch(), ...(onEnd && { onEnd }) };
    return { code: 200, body: request.inProcess ? watchEvents(watch) : watchLines(watch) };
  }

  async #create(call: Call): Promise<Answer> {
    const { request, query, user, definition, path, part, presenter, warnings } = call;
    const { clock } = this.#parts;
    const { dryRun, fieldValidation } = readWriteOptions(query, 'CreateOptions');
    const action = this.#actions.get(actionKey(definition, path.subresource));
    const isKept = !part && verbsOf(definition).includes('get');
    if (!isKept && !action) throw methodNotAllowed();
    const body = await readObject(request, part?.body ?? definition, fieldValidation, clock);
    if (body.isLarge) await clock.turn?.();
    warnings.push(...body.warnings);
    if (action) return action({ ...targetOf(call), body: body.object, user, dryRun });
    const namespace = path.namespace ?? '';
    const warn = warnOnce(warnings);
    const wanted = { definition, namespace, body: body.object, user, dryRun, warn };
    const created = await this.#parts.registry.create(wanted);
    warnings.push(...(definition.rules.warnings?.(created) ?? []));
    return { code: 201, body: presenter.one(created) };
  }

  #present({ part, presenter }: Call, object: JsonObject): JsonObject {
    return presenter.one(part?.view?.read(object) ?? object);
  }

  async #update(call: Call): Promise<Answer> {
    const { request, query, user, definition, path, part, warnings } = call;
    const { clock } = this.#parts;
    const view = part?.view;
    const { dryRun, fieldValidation } = readWriteOptions(query, 'UpdateOptions');
    const shown = view?.definition ?? definition;
    const body = await readObject(request, shown, fieldValidation, clock);
    if (body.isLarge) await clock.turn?.();
    warnings.push(...body.warnings);
    checkName(body.object, path.name ?? '');
    if (!part && definition.rules.createsOnUpdate && !this.#parts.registry.has(targetOf(call))) {
      return this.#createAt(call, body.object, dryRun);
    }
    const object = await this.#parts.registry.update({
      ...targetOf(call),
      subresource: path.subresource,
      user,
      dryRun,
      warn: warnOnce(warnings),
      change: (old) => (view ? view.write(old, body.object) : body.object),
    });
    return { code: 200, body: this.#present(call, object) };
  }

  /** An update that finds nothing to update. */
  async #createAt(call: Call, body: JsonObject, dryRun: boolean): Promise<Answer> {
    const { user, definition, path, presenter } = call;
    const warn = warnOnce(call.warnings);
    const wanted = { definition, namespace: path.namespace ?? '', body, user, dryRun, warn };
    return { code: 201, body: presenter.one(await this.#parts.registry.create(wanted)) };
  }

  async #patch(call: Call): Promise<Answer> {
    const { request, query, user, path, part, warnings } = call;
    const view = part?.view;
    const { dryRun, fieldValidation: validation } = readWriteOptions(query, 'PatchOptions');
    const definition = view?.definition ?? call.definition;
    const type = patchTypeOf(contentTypeOf(request), definition);
    const body = request.inProcess?.said ?? (await this.#readPatch(request, type));
    const known = [...warnings];
    const patch = (before: JsonObject): JsonObject =>
      applyPatch(definition, before, { type, body, validation }, (found) => {
        // Those of an attempt that came too late go with it.
        warnings.splice(0, warnings.length, ...known, ...found);
      });
    const object = await this.#parts.registry.update({
      ...targetOf(call),
      subresource: path.subresource,
      user,
      dryRun,
      warn: warnOnce(warnings),
      change: (old) => (view ? view.write(old, patch(view.read(old))) : patch(old)),
    });
    return { code: 200, body: this.#present(call, object) };
  }

  async #readPatch(request: ApiRequest, type: PatchType): Promise<Json> {
    const bytes = await readBytes(request);
    const isLarge = bytes.byteLength > LARGE_BYTES;
    if (isLarge) await this.#parts.clock.turn?.();
    const patch = readPatch(new TextDecoder().decode(bytes), type);
    // To carry it out takes as long again.
    if (isLarge) await this.#parts.clock.turn?.();
    return patch;
  }

  async #delete(call: Call): Promise<Answer> {
    const { request, query, user, definition, path, presenter } = call;
    const options = readDeleteOptions(query, await readOptions(request, this.#parts.clock));
    const { object, isGone, isGraceful } = await this.#parts.registry.remove(
      targetOf(call),
      options,
      user,
    );
    if (!isGone || isGraceful) return { code: 200, body: presenter.one(object) };
    const { group, resource: kind } = definition;
    const uid = textOf(metadataOf(object)['uid']);
    const details = { name: path.name ?? '', ...(group !== '' && { group }), kind, uid };
    return { code: 200, body: successStatus(details) };
  }

  async #deleteCollection(call: Call): Promise<Answer> {
    const { request, query, user, definition, path } = call;
    const { store, registry, clock } = this.#parts;
    const deletion = readDeleteOptions(query, await readOptions(request, this.#parts.clock));
    const options = readListOptions(query);
    const listing = await listInTurns(store, definition, path.namespace ?? '', options, clock);
    for (const object of listing.items) {
      const { name, namespace } = metadataOf(object);
      const target = { definition, namespace: textOf(namespace), name: textOf(name) };
      await registry.remove(target, deletion, user).catch((error: unknown) => {
        // Somebody else was faster: it is gone, which is what was asked for.
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      });
    }
    return this.#presentList(call, listing);
  }
}

/** A write that has to be tried again is warned about again: each sentence is said once. */
function warnOnce(warnings: string[]): (sentence: string) => void {
  return (sentence) => {
    if (!warnings.includes(sentence)) warnings.push(sentence);
  };
}
