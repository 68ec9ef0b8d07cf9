import type { Feature } from '../../../src/observe/feature-gates.ts';
import {
  createFeatureGates,
  describeGates,
  knownFeatures,
  parseFeatureGates,
} from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { currentRelease } from '../../../src/observe/release.ts';

const features: readonly Feature[] = [
  { name: 'A', stage: 'alpha', purpose: '' },
  { name: 'B', stage: 'beta', purpose: '' },
  { name: 'D', stage: 'deprecated', purpose: '' },
  { name: 'G', stage: 'ga', isLocked: true, purpose: '' },
  { name: 'R', stage: 'deprecated', isLocked: true, purpose: '' },
];

describe('feature gates', () => {
  test('defaults follow the stage', () => {
    const gates = createFeatureGates({}, features);
    expect([...gates.all()]).toEqual([
      ['A', false],
      ['B', true],
      ['D', false],
      ['G', true],
      ['R', false],
    ]);
    expect(gates.warnings).toEqual([]);
  });

  test('alpha can be enabled, beta disabled', () => {
    const gates = createFeatureGates({ A: true, B: false }, features);
    expect(gates.isEnabled('A')).toBe(true);
    expect(gates.isEnabled('B')).toBe(false);
  });

  test('starts with equal settings share the gates, others do not', () => {
    const gates = createFeatureGates({ A: true }, features);
    expect(createFeatureGates({ A: true }, features)).toBe(gates);
    const other = createFeatureGates({ A: false }, features);
    expect([gates.isEnabled('A'), other.isEnabled('A')]).toEqual([true, false]);
    expect(createFeatureGates({ A: true }, [...features])).not.toBe(gates);
    expect(createFeatureGates({ A: true }, features).isEnabled('A')).toBe(true);
  });

  test('a stage switch yields to a single gate', () => {
    const gates = createFeatureGates({ AllAlpha: true, AllBeta: false, B: true }, features);
    expect(gates.isEnabled('A')).toBe(true);
    expect(gates.isEnabled('B')).toBe(true);
  });

  test('a gate that no longer switches warns when named and cannot be disabled', () => {
    expect(createFeatureGates({ G: true }, features).warnings).toHaveLength(1);
    expect(() => createFeatureGates({ G: false, Nope: true }, features)).toThrow(
      /G is locked to true and cannot be set to false; unknown feature gate Nope/,
    );
    expect(() => createFeatureGates({ R: true }, features)).toThrow('R is locked to false');
  });

  test('gates of the release that change nothing here are accepted with a warning', () => {
    const settings = { GracefulNodeShutdown: true, VolumeCapacityPriority: false };
    const gates = createFeatureGates(settings, featuresOf(currentRelease));
    expect(gates.warnings).toEqual([
      'feature gate GracefulNodeShutdown changes nothing in this server',
      'feature gate VolumeCapacityPriority changes nothing in this server',
    ]);
  });

  test('the gates that the specification names', () => {
    const gates = createFeatureGates();
    expect(gates.isEnabled('ServerSideApply')).toBe(true);
    expect(gates.isEnabled('HPAScaleToZero')).toBe(false);
    expect(() => gates.isEnabled('Nope')).toThrow();
  });

  test('the list is alphabetical', () => {
    const names = knownFeatures.map((f) => f.name);
    expect(names).toEqual([...names].sort());
  });

  test('described for the help: stage, default, and whether they still operate', () => {
    const fixed = 'deprecated and non-operational: it will be removed';
    expect(describeGates(features).map((line) => line.trimEnd())).toEqual([
      'A=true|false (ALPHA - default=false)',
      'B=true|false (BETA - default=true)',
      'D=true|false (DEPRECATED - default=false)',
      `G=true (GA - default=true, locked to true, ${fixed})`,
      `R=false (DEPRECATED - default=false, locked to false, ${fixed})`,
    ]);
  });

  test('text form', () => {
    expect(parseFeatureGates('A=true, B=False')).toEqual({ A: true, B: false });
    expect(() => parseFeatureGates('A=1,=true')).toThrow(/A=1.*=true/);
  });
});
