/** Reads a CustomResourceDefinition from its JSON into typed fields. */
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf, nameOf } from '../objects/metadata.ts';
import {
  readFlag,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../../api/validation/json-reading.ts';
import { readSchema, type Schema } from '../schema/schema.ts';
import type { ConversionWebhook } from './conversion/conversion-call.ts';

export interface Names {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

export interface CrdVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  readonly isDeprecated: boolean;
  /** Empty: the default. */
  readonly deprecationWarning: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly scale: JsonObject | undefined;
  readonly columns: JsonObject['columns'] | undefined;
  /** Paths, such as `.spec.color`. */
  readonly selectableFields: readonly string[];
}

export interface Crd {
  readonly name: string;
  readonly group: string;
  readonly isNamespaced: boolean;
  readonly names: Names;
  /** The names that it really has: other definitions may have come first. */
  readonly acceptedNames: Names;
  readonly versions: readonly CrdVersion[];
  /** Absent: the strategy is None. */
  readonly conversionWebhook: ConversionWebhook | undefined;
  readonly isBeingDeleted: boolean;
  readonly isEstablished: boolean;
  readonly isTerminating: boolean;
}

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export function readCrd(object: JsonObject): Crd {
  const spec = readStruct(object['spec']);
  const status = readStruct(object['status']);
  const isTrue = (type: string): boolean => conditionOf(object, type)?.['status'] === 'True';
  return {
    name: nameOf(object),
    group: readText(spec['group']),
    isNamespaced: spec['scope'] === 'Namespaced',
    names: readNames(spec['names']),
    acceptedNames: readNames(status['acceptedNames']),
    versions: readObjects(spec['versions']).map(readVersion),
    conversionWebhook: readWebhook(nameOf(object), readStruct(spec['conversion'])),
    isBeingDeleted: metadataOf(object)['deletionTimestamp'] !== undefined,
    isEstablished: isTrue('Established'),
    isTerminating: isTrue('Terminating'),
  };
}

export function conditionsOf(object: JsonObject): readonly JsonObject[] {
  return readObjects(readStruct(object['status'])['conditions']);
}

export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return conditionsOf(object).find((condition) => condition['type'] === type);
}

export function readNames(value: JsonObject[string] | undefined): Names {
  const names = readStruct(value);
  return {
    plural: readText(names['plural']),
    singular: readText(names['singular']),
    shortNames: readTexts(names['shortNames']),
    kind: readText(names['kind']),
    listKind: readText(names['listKind']),
    categories: readTexts(names['categories']),
  };
}

function readWebhook(definition: string, conversion: JsonObject): ConversionWebhook | undefined {
  if (conversion['strategy'] !== 'Webhook') return undefined;
  const webhook = readStruct(conversion['webhook']);
  const client = readStruct(webhook['clientConfig']);
  return { definition, client, reviewVersions: readTexts(webhook['conversionReviewVersions']) };
}

function readVersion(version: JsonObject): CrdVersion {
  const subresources = readStruct(version['subresources']);
  const schema = readStruct(version['schema'])['openAPIV3Schema'];
  return {
    name: readText(version['name']),
    isServed: readFlag(version['served']),
    isStorage: readFlag(version['storage']),
    isDeprecated: readFlag(version['deprecated']),
    deprecationWarning: readText(version['deprecationWarning']),
    schema: readSchema(readStruct(schema)),
    hasStatus: readObject(subresources['status']) !== undefined,
    scale: readObject(subresources['scale']),
    columns: version['additionalPrinterColumns'],
    selectableFields: readObjects(version['selectableFields']).map((field) =>
      readText(field['jsonPath']),
    ),
  };
}
