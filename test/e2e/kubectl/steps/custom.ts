/** A custom resource: defined, used, found in discovery, and deleted with its objects. */
import { kubectl, type Chapter } from '../step.ts';

function boat(name: string, spec: string): string {
  return `
apiVersion: harbour.example.com/v1
kind: Boat
metadata:
  name: ${name}
spec: ${spec}
`;
}

export const custom: Chapter = {
  title: 'custom resources',
  namespace: 'custom',
  steps: [
    kubectl('get boats'),
    kubectl('apply -f $FIXTURES/crd.yaml'),
    kubectl('wait --for=condition=Established crd/boats.harbour.example.com --timeout=30s'),
    kubectl('apply -f $FIXTURES/crd.yaml'),
    kubectl('get crd boats.harbour.example.com'),
    kubectl('get crd boats.harbour.example.com -o yaml'),
    kubectl('api-resources --api-group=harbour.example.com -o wide', { until: /Boat/ }),
    kubectl('explain boat', { until: /FIELDS/, view: 'fields' }),
    kubectl('explain boat.spec'),
    kubectl('explain boat.spec.rig'),
    kubectl('explain boat --recursive'),
    kubectl('get boats'),
    kubectl('apply -f $FIXTURES/boat.yaml', { until: /created|unchanged/ }),
    kubectl('apply -f $FIXTURES/boat.yaml'),
    kubectl('get boats'),
    kubectl('get bt -o wide'),
    kubectl('get fleet'),
    kubectl('get boat albatross -o yaml'),
    kubectl('get boat albatross -o yaml --show-managed-fields'),
    kubectl('describe boat albatross'),
    kubectl('create -f -', { stdin: boat('tern', '{ rig: ketch }') }),
    kubectl('get boat tern -o jsonpath={.spec}'),
    kubectl('create -f -', { stdin: boat('none', '{ rig: raft }') }),
    kubectl('create -f -', { stdin: boat('none', '{ rig: sloop, crew: 21 }') }),
    kubectl('create -f -', { stdin: boat('none', '{ rig: sloop, crew: many }') }),
    kubectl('create -f -', { stdin: boat('none', '{ crew: 1 }') }),
    kubectl('create -f -', { stdin: boat('none', '{ rig: sloop, name: Much Too Long }') }),
    kubectl('create -f -', { stdin: boat('none', '{ rig: yawl }') }),
    kubectl('create -f -', { stdin: boat('odd', '{ rig: sloop, keel: deep }') }),
    kubectl('create -f - --validate=false', { stdin: boat('odd', '{ rig: sloop, keel: deep }') }),
    kubectl('get boat odd -o jsonpath={.spec}'),
    kubectl(`patch boat tern --type=merge -p '{"spec":{"crew":4},"status":{"berth":"7"}}'`),
    kubectl(
      `patch boat tern --type=merge --subresource=status -p '{"status":{"berth":"7","aboard":4,"selector":"a=b"}}'`,
    ),
    kubectl(`patch boat tern --type=json -p '[{"op":"replace","path":"/spec/crew","value":99}]'`),
    kubectl(`patch boat tern -p '{"spec":{"crew":5}}'`),
    kubectl('get boat tern -o wide'),
    kubectl('scale boat tern --replicas=6'),
    kubectl('get boat tern --subresource=scale -o yaml'),
    kubectl('get boat tern -o jsonpath={.spec.crew}/{.metadata.generation}'),
    kubectl('label boat tern colour=white'),
    kubectl('edit boat tern', { editor: 'sed -i s/ketch/sloop/' }),
    kubectl(
      `patch boat tern --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Afloat","status":"True"}]}}'`,
    ),
    kubectl('wait --for=condition=Afloat boat/tern --timeout=10s'),
    kubectl('apply -f -', { stdin: boat('gull', '{ rig: sloop, sails: [a] }') }),
    kubectl('get boats --watch --output-watch-events', {
      during: ['delete boat gull'],
      until: /DELETED/,
    }),
    kubectl('apply --server-side -f -', { stdin: boat('gull', '{ rig: sloop, sails: [a] }') }),
    kubectl('apply --server-side --field-manager=b -f -', {
      stdin: boat('gull', '{ rig: ketch }'),
    }),
    kubectl('get boat gull -o yaml --show-managed-fields'),
    kubectl('delete boat albatross'),
    kubectl('delete crd boats.harbour.example.com'),
    kubectl('get boats', { until: /could not find the requested resource|have a resource type/ }),
    kubectl('apply -f $FIXTURES/boat.yaml'),
    kubectl('apply -f -', {
      stdin:
        'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: wrong }\nspec: { group: example.com, scope: Somewhere, names: { plural: wrongs, kind: Wrong }, versions: [] }\n',
    }),
  ],
};
