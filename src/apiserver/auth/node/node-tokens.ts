/**
 * Checks that a kubelet requests tokens only for pods on its node, bound to these pods, and for audiences
 * that the pods name.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { ResourceAttributes, User } from '../../objects/access.ts';
import type { AdmissionRequest } from '../../registry/admission.ts';
import { objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import { isGiven, readObject, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import { notFound } from '../../objects/status.ts';
import { sourcesOf, volumesOf } from '../../admission/pod-references.ts';

/** Whether the user is authorized. */
export type AskAuthorizer = (user: User, attributes: ResourceAttributes) => boolean;

export class NodeTokens {
  readonly #store: ObjectStore;
  readonly #ask: AskAuthorizer;

  constructor(store: ObjectStore, ask: AskAuthorizer) {
    this.#store = store;
    this.#ask = ask;
  }

  /** The reason why the node may not have this token. Null: it may. */
  evaluate(request: AdmissionRequest, node: string): string | null {
    const { object, namespace } = request;
    const { apiVersion, kind, name, uid } = structAt(object, 'spec.boundObjectRef');
    if (apiVersion !== 'v1' || kind !== 'Pod' || readText(name) === '') {
      return 'node requested token not bound to a pod';
    }
    if (readText(uid) === '') return 'node requested token with a pod binding without a uid';
    const pod = this.#store.get(`/core/pods/${namespace}/${readText(name)}`)?.value;
    if (!pod) throw notFound({ group: '', resource: 'pods' }, readText(name));
    if (uid !== metadataOf(pod)['uid']) {
      return (
        `the UID in the bound object reference (${readText(uid)}) does not match the UID in record. ` +
        'The object might have been deleted and then recreated'
      );
    }
    if (textAt(pod, 'spec.nodeName') !== node) {
      return 'node requested token bound to a pod scheduled on a different node';
    }
    return this.#authorizeAudiences(request, pod);
  }

  #authorizeAudiences(request: AdmissionRequest, pod: JsonObject): string | null {
    const { object, user, namespace, name } = request;
    const [audience = '', ...more] = readTexts(structAt(object, 'spec')['audiences']);
    if (more.length > 0) return 'node may only request 0 or 1 audiences';
    if (this.#isNamed(pod, audience)) return null;
    const wanted = {
      verb: 'request-serviceaccounts-token-audience',
      group: '',
      version: 'v1',
      resource: audience,
      subresource: '',
      namespace,
      name,
    };
    if (this.#ask(user, wanted)) return null;
    return (
      `audience ${JSON.stringify(audience)} not found in pod spec volume, ` +
      `${user.name} is not authorized to request tokens for this audience`
    );
  }

  #isNamed(pod: JsonObject, audience: string): boolean {
    return volumesOf(pod).some((volume) => {
      const isProjected = sourcesOf(volume).some((source) => {
        const token = readObject(source['serviceAccountToken']);
        return token !== undefined && readText(token['audience']) === audience;
      });
      return isProjected || this.#driverHas(this.#driverOf(pod, volume), audience);
    });
  }

  /** The CSI driver of a volume. Empty: there is none. */
  #driverOf(pod: JsonObject, volume: JsonObject): string {
    const driver = textAt(volume, 'csi.driver');
    const claimName = isGiven(volume['ephemeral'])
      ? `${nameOf(pod)}-${readText(volume['name'])}`
      : textAt(volume, 'persistentVolumeClaim.claimName');
    if (driver !== '' || claimName === '') return driver;
    const namespace = textOf(metadataOf(pod)['namespace']);
    const claim = this.#get(`/core/persistentvolumeclaims/${namespace}/${claimName}`);
    const persistent = this.#get(`/core/persistentvolumes/${textAt(claim, 'spec.volumeName')}`);
    return textAt(persistent, 'spec.csi.driver');
  }

  #driverHas(driver: string, audience: string): boolean {
    if (driver === '') return false;
    const requests = objectsAt(
      this.#get(`/storage.k8s.io/csidrivers/${driver}`),
      'spec.tokenRequests',
    );
    return requests.some((request) => readText(request['audience']) === audience);
  }

  #get(key: string): JsonObject {
    return this.#store.get(key)?.value ?? {};
  }
}
