/** What every object has, and what the server says of itself. */
import type { DescriptionTable } from './description-table.ts';

export const META: DescriptionTable = {
  'meta/v1.ObjectMeta': {
    '': 'What every object has, whatever its kind: its name, its labels, and its history.',
    name: 'Unique among the objects of this kind in the namespace. It cannot be changed.',
    generateName: 'If there is no name: the server makes one that begins like this.',
    namespace:
      'Where the object lives. Empty means the namespace default, for kinds that have one.',
    selfLink: 'Not used any more.',
    uid: 'Unique for all objects and for ever. The server sets it.',
    resourceVersion:
      'Which state of the object this is. Compare it for equality only, and send it back to change nothing but that state.',
    generation: 'Counts the changes of what is wanted. The server sets it.',
    creationTimestamp: 'When the object was created. The server sets it.',
    deletionTimestamp:
      'When the object is to be gone. The server sets it when somebody deletes an object that has to wait.',
    deletionGracePeriodSeconds: 'How many seconds the object has left to end by itself.',
    labels: 'Short names and values by which objects are selected.',
    annotations: 'Names and values for tools and people; nothing is selected by them.',
    ownerReferences:
      'The objects that this one belongs to. When all of them are gone, it is deleted as well.',
    finalizers:
      'Who has something to do before the object may go. It stays until the list is empty.',
    managedFields: 'Which client set which fields, and when. The server keeps it.',
  },
  'meta/v1.OwnerReference': {
    '': 'An object that another one belongs to, in the same namespace or in none.',
    controller: 'Whether the owner manages the object. At most one owner does.',
    blockOwnerDeletion: 'The owner cannot be deleted in the foreground before the object is gone.',
  },
  'meta/v1.ManagedFieldsEntry': {
    '': 'The fields that one client has set in one way.',
    manager: 'The client.',
    operation: 'How it set them: Apply or Update.',
    apiVersion: 'The version of the object in which the fields are named.',
    time: 'When one of the fields was last set.',
    fieldsType: 'How the fields are written. There is one way: FieldsV1.',
    fieldsV1: 'The fields.',
    subresource: 'The part of the object through which they were set; empty for the object itself.',
  },
  'meta/v1.ListMeta': {
    '': 'What every list has.',
    selfLink: 'Not used any more.',
    resourceVersion: 'Which state of the store the list shows. A watch may start from it.',
    continue: 'There is more: send this back to get the next part.',
    remainingItemCount: 'How many more there are, if the server knows.',
    shardInfo: 'Which share of the objects this is.',
  },
  'meta/v1.LabelSelector': {
    '': 'Chooses objects by their labels. All that is said has to hold; if nothing is, it chooses all.',
    matchLabels: 'Labels with the values that they must have.',
    matchExpressions: 'Conditions on labels.',
  },
  'meta/v1.LabelSelectorRequirement': {
    '': 'A condition on one label.',
    key: 'The label.',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'The values of In and NotIn; none for the others.',
  },
  'meta/v1.FieldSelectorRequirement': {
    '': 'A condition on one field.',
    key: 'The field.',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'The values of In and NotIn; none for the others.',
  },
  'meta/v1.Condition': {
    '': 'One fact about an object: true, false or unknown, since when, and why.',
  },
  'meta/v1.Status': {
    '': 'What came of a request that has no object to answer with, most often because it failed.',
    status: 'Success or Failure.',
    message: 'What happened, for people.',
    reason: 'What happened, in one word for programs.',
    details: 'What it is about.',
    code: 'The code of HTTP.',
  },
  'meta/v1.StatusDetails': {
    '': 'What an answer is about.',
    name: 'The object.',
    group: 'The group of its kind.',
    kind: 'Its kind, or its resource.',
    uid: 'The UID of the object.',
    causes: 'What is wrong, one by one.',
    retryAfterSeconds: 'After how many seconds it is worth trying again.',
  },
  'meta/v1.StatusCause': {
    '': 'One thing that is wrong.',
    reason: 'What it is, in one word for programs.',
    message: 'What it is, for people.',
    field: 'The field that it is about, such as spec.containers[0].name.',
  },
  'meta/v1.DeleteOptions': {
    '': 'How an object is deleted.',
    preconditions: 'What has to be true of the object; otherwise nothing is done.',
  },
  'meta/v1.Preconditions': {
    '': 'What has to be true of an object that is to be deleted.',
    uid: 'It has this UID.',
    resourceVersion: 'It is in this state.',
  },
  'meta/v1.WatchEvent': {
    '': 'What a watch sends: something happened to an object.',
    type: 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.',
    object: 'The object, as it is now or was last; for an ERROR a Status.',
  },
  'meta/v1.APIGroup': {
    '': 'A group of kinds, with its versions.',
    name: 'The name of the group.',
    versions: 'The versions that are served.',
    preferredVersion: 'The version to use if there is no reason for another.',
    serverAddressByClientCIDRs: 'Under which address clients reach the server.',
  },
  'meta/v1.APIGroupList': { '': 'All groups but the core one.', groups: 'The groups.' },
  'meta/v1.APIVersions': {
    '': 'The versions of the core group.',
    versions: 'The versions that are served.',
    serverAddressByClientCIDRs: 'Under which address clients reach the server.',
  },
  'meta/v1.APIResourceList': {
    '': 'The resources of one version of a group.',
    groupVersion: 'The group and version.',
    resources: 'The resources, and the subresources as well.',
  },
  'meta/v1.APIResource': {
    '': 'A resource: the plural in paths, and what can be done with it.',
    name: 'The plural, as in paths.',
    singularName: 'The singular.',
    namespaced: 'Whether its objects live in namespaces.',
    group: 'The group of the kind, if it is another than that of the list.',
    version: 'The version of the kind, if it is another than that of the list.',
    kind: 'The kind of its objects.',
    verbs: 'What can be done with it.',
    shortNames: 'Shorter names for people in a hurry.',
    categories: 'Groups of resources that are listed together, such as all.',
    storageVersionHash: 'Which version its objects are stored in, as a hash.',
  },
  'meta/v1.GroupVersionForDiscovery': {
    '': 'A version of a group.',
    groupVersion: 'The group and the version, as in apps/v1.',
    version: 'The version alone.',
  },
  'meta/v1.ServerAddressByClientCIDR': {
    '': 'An address of the server, and who reaches it under that.',
    clientCIDR: 'Clients with an address in this range.',
    serverAddress: 'The address of the server.',
  },
};
