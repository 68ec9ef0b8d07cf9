import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, Kind, testErrors } from '../../../support/kind.ts';

const kind = new Kind('runtimeclasses.node');
const minimal: JsonObject = { metadata: { name: 'sandbox' }, handler: 'gvisor' };
const toleration = { key: 'a', operator: 'Exists' };
testErrors(kind, minimal, [
  ['handler', '', 'handler Required'],
  ['handler', 'Not_ok', 'handler Invalid'],
  ['overhead', { podFixed: { cpu: '-1' } }, 'overhead.podFixed[cpu] Invalid'],
  ['scheduling', { nodeSelector: { 'a b': 'c' } }, 'scheduling.nodeSelector Invalid'],
  ['scheduling', { tolerations: [toleration, toleration] }, 'scheduling.tolerations[1] Duplicate'],
]);

test('the handler stays; v1alpha1 has a spec', () => {
  expect(brief(kind.updateErrors(kind.created(minimal), { ...minimal, handler: 'kata' }))).toEqual([
    'handler Invalid',
  ]);
  const alpha = kind.definition.versions.find(({ version }) => version === 'v1alpha1');
  const object = alpha?.fromStorage?.({ ...minimal }, kind.context.naming);
  expect(object).toEqual({ metadata: { name: 'sandbox' }, spec: { runtimeHandler: 'gvisor' } });
});
