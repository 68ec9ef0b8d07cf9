import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors } from '../../../support/kind.ts';

const kind = new Kind('priorityclasses.scheduling');
const minimal: JsonObject = { metadata: { name: 'high' }, value: 1000 };
testErrors(kind, minimal, [
  ['value', 1_000_000_001, 'value Forbidden'],
  ['value', -5],
  ['preemptionPolicy', 'Maybe', 'preemptionPolicy NotSupported'],
  ['metadata.name', 'system-mine', 'metadata.name Forbidden'],
]);

test('the classes of the system have their values', () => {
  expect(kind.createErrors({ metadata: { name: 'system-node-critical' }, value: 2_000_001_000 })).toEqual([]);
});

test('value and policy stay', () => {
  const before = kind.created(minimal);
  expect(before).toMatchObject({ preemptionPolicy: 'PreemptLowerPriority' });
  expect(brief(kind.updateErrors(before, { ...minimal, value: 1, preemptionPolicy: 'Never' }))).toEqual([
    'preemptionPolicy Invalid',
    'value Forbidden',
  ]);
  expect(kind.updateErrors(before, { ...minimal, description: 'x' })).toEqual([]);
  expect(kind.definition.strategy.bumpsGeneration?.(before, before)).toBe(false);
});

test('the policy belongs to its gate', () => {
  const ungated = new Kind('priorityclasses.scheduling', contextWith({ off: ['NonPreemptingPriority'] }));
  expect(ungated.created({ ...minimal, preemptionPolicy: 'Never' })).not.toHaveProperty('preemptionPolicy');
});
