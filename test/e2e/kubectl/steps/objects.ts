/** Objects are created, shown, changed and deleted. */
import { kubectl, type Chapter } from '../step.ts';

const UNKNOWN_FIELD = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: odd
  colour: blue
data:
  a: b
more: things
`;

const NAMES = `custom-columns='NAME:.metadata.name,IMAGE:.spec.containers[*].image,X:.spec.nothing'`;

export const objects: Chapter = {
  title: 'objects',
  namespace: 'objects',
  steps: [
    kubectl('get pods'),
    kubectl('get all'),
    kubectl('create -f $FIXTURES/pod.yaml'),
    kubectl('create -f $FIXTURES/pod.yaml'),
    kubectl('get pods'),
    kubectl('get pods -o wide'),
    kubectl('get pods --show-labels'),
    kubectl('get pods -L app,tier'),
    kubectl('get pods --no-headers'),
    kubectl('get pods -o name'),
    kubectl('get pod web -o yaml'),
    kubectl('get pod web -o json'),
    kubectl('get pod web -o yaml --show-managed-fields'),
    kubectl('get pods -o yaml'),
    kubectl(`get pod web -o jsonpath='{.spec.containers[0].image} {.status.phase}'`),
    kubectl(`get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'`),
    kubectl(`get pod web -o ${NAMES}`),
    kubectl(`get pod web -o go-template='{{.metadata.name}} {{len .spec.containers}}'`),
    kubectl('get pod web --output-watch-events -o name'),
    kubectl('get pods -A --field-selector=metadata.name=web'),
    kubectl('get pods --field-selector=status.phase=Running'),
    kubectl('get pods --field-selector=spec.nodeName=x'),
    kubectl('get pods --field-selector=spec.colour=blue'),
    kubectl('get pods -l app=web,tier!=back'),
    kubectl(`get pods -l 'app in (web, db)'`),
    kubectl(`get pods -l 'app=web,'`),
    kubectl('get pods --sort-by=.metadata.name'),
    kubectl('get pods --chunk-size=1 -A -l app=web'),
    kubectl('get pod,configmap -l app=web'),
    kubectl('get pods/web configmaps/nothing'),
    kubectl('get pod web --subresource=status -o jsonpath={.status.qosClass}'),
    kubectl('describe pod web'),
    kubectl('describe pods -l app=nothing'),
    kubectl('describe pod nothing'),
    kubectl('get --raw /api/v1/namespaces/objects/pods/web', { view: 'json' }),
    kubectl('get --raw /api/v1/namespaces/objects/pods?labelSelector=app=web', { view: 'json' }),
    kubectl('apply -f $FIXTURES/shop.yaml --dry-run=server'),
    kubectl('apply -f $FIXTURES/shop.yaml --dry-run=client'),
    kubectl('get deployment shop'),
    kubectl('diff -f $FIXTURES/shop.yaml'),
    kubectl('apply -f $FIXTURES/shop.yaml'),
    kubectl('apply -f $FIXTURES/shop.yaml'),
    kubectl('diff -f $FIXTURES/shop.yaml'),
    kubectl('diff -f $FIXTURES/shop-changed.yaml'),
    kubectl('apply -f $FIXTURES/shop-changed.yaml --dry-run=server -o yaml'),
    kubectl('apply -f $FIXTURES/shop-changed.yaml'),
    kubectl('get configmap prices -o yaml'),
    kubectl('get deployment shop -o yaml'),
    kubectl('get service counter -o yaml'),
    kubectl('get secret till -o yaml'),
    kubectl('get deploy,svc,cm,secret -l app=shop'),
    kubectl('get deploy,svc,cm,secret -l app=shop -o wide'),
    kubectl('describe configmap prices'),
    kubectl('describe secret till'),
    kubectl('describe service counter'),
    kubectl('describe deployment shop'),
    kubectl('apply view-last-applied configmap/prices'),
    kubectl('apply -k $FIXTURES/kustomize'),
    kubectl('get configmaps -l from=kustomize'),
    kubectl('apply -f - --validate=strict', { stdin: UNKNOWN_FIELD }),
    kubectl('create -f - --validate=warn', { stdin: UNKNOWN_FIELD }),
    kubectl('get configmap odd -o yaml'),
    kubectl('create configmap made --from-literal=a=1 --from-literal=b=2 -o yaml'),
    kubectl('create configmap dry --from-literal=a=1 --dry-run=server -o yaml'),
    kubectl('create configmap dry --from-literal=a=1 --dry-run=client -o yaml'),
    kubectl('get configmap dry'),
    kubectl('create -f - -o name', {
      stdin: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: some- }\n',
    }),
    kubectl('delete configmap made odd'),
    kubectl('delete configmap made'),
    kubectl('delete configmap made --ignore-not-found'),
    kubectl('delete -f $FIXTURES/shop.yaml'),
    kubectl('delete configmaps -l from=kustomize -o name'),
    kubectl('delete pod web --now'),
    kubectl('get pod web'),
  ],
};
