import { transitionTime } from '../../../src/meta/transition-time.ts';

const then = '2026-01-01T00:00:00Z';
const now = '2026-01-02T00:00:00Z';

test('a condition keeps its time while its status stays', () => {
  expect(transitionTime({ status: 'True', lastTransitionTime: then }, 'True', now)).toBe(then);
});

test.each([
  ['whose status changes', { status: 'False', lastTransitionTime: then }],
  ['that is new', undefined],
  ['that had no time', { status: 'True' }],
  ['whose time is null', { status: 'True', lastTransitionTime: null }],
])('a condition %s gets the time of now', (_, former) => {
  expect(transitionTime(former, 'True', now)).toBe(now);
});
