import type { Feature } from '../../../src/observe/feature-gates.ts';
import {
  createFeatureGates,
  describeGates,
  knownFeatures,
  parseFeatureGates,
} from '../../../src/observe/feature-gates.ts';
import { inertFeatureGates } from '../../../src/observe/inert-feature-gates.ts';

const features: readonly Feature[] = [
  { name: 'A', stage: 'alpha', purpose: '' },
  { name: 'B', stage: 'beta', purpose: '' },
  { name: 'G', stage: 'ga', purpose: '' },
  { name: 'R', stage: 'removedFeature', purpose: '' },
];

describe('feature gates', () => {
  test('defaults follow the stage', () => {
    const gates = createFeatureGates({}, features);
    expect([...gates.all()]).toEqual([
      ['A', false],
      ['B', true],
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

  test('a stage switch yields to a single gate', () => {
    const gates = createFeatureGates({ AllAlpha: true, AllBeta: false, B: true }, features);
    expect(gates.isEnabled('A')).toBe(true);
    expect(gates.isEnabled('B')).toBe(true);
  });

  test('a gate that no longer switches warns when named and cannot be disabled', () => {
    expect(createFeatureGates({ G: true }, features).warnings).toHaveLength(1);
    expect(() => createFeatureGates({ G: false, Nope: true }, features)).toThrow(
      /G is locked to true.*unknown.*Nope/,
    );
    expect(() => createFeatureGates({ R: true }, features)).toThrow('removed feature');
  });

  test('gates of the release that change nothing here are accepted with a warning', () => {
    const gates = createFeatureGates({ GracefulNodeShutdown: true, WarningHeaders: false });
    expect(gates.warnings).toEqual([
      'feature gate GracefulNodeShutdown changes nothing in this server',
      'feature gate WarningHeaders changes nothing in this server',
    ]);
    expect(knownFeatures.filter(({ name }) => inertFeatureGates.has(name))).toEqual([]);
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
      `G=true (GA - default=true, locked to true, ${fixed})`,
      `R=false (REMOVED - default=false, locked to false, ${fixed})`,
    ]);
  });

  test('text form', () => {
    expect(parseFeatureGates('A=true, B=False')).toEqual({ A: true, B: false });
    expect(() => parseFeatureGates('A=1,=true')).toThrow(/A=1.*=true/);
  });
});
