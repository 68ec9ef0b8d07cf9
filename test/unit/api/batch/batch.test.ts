import { scheduleErrors } from '../../../../src/api/batch/schedule.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, contextWith, Kind, now, testErrors, withValue } from '../../../support/kind.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] } };
const metadata = { name: 'work', namespace: 'default', uid: 'u-1' };

describe('Job', () => {
  const kind = new Kind('jobs.batch');
  const minimal: JsonObject = { metadata, spec: { template } };
  testErrors(kind, minimal, [
    ['spec.parallelism', -1, 'spec.parallelism Invalid'],
    ['spec.completions', -1, 'spec.completions Invalid'],
    ['spec.backoffLimit', -1, 'spec.backoffLimit Invalid'],
    ['spec.activeDeadlineSeconds', -1, 'spec.activeDeadlineSeconds Invalid'],
    ['spec.ttlSecondsAfterFinished', -1, 'spec.ttlSecondsAfterFinished Invalid'],
    ['spec.template.spec.restartPolicy', 'Always', 'spec.template.spec.restartPolicy NotSupported'],
    ['spec.manualSelector', true, 'spec.selector Required'],
    ['spec.selector', { matchLabels: { a: 'b' } }, 'spec.template.metadata.labels Invalid'],
    [
      'spec.template.metadata',
      { labels: { 'controller-uid': 'other', 'job-name': 'other' } },
      'spec.template.metadata.labels Invalid',
      'spec.template.metadata.labels Invalid',
      'spec.template.metadata.labels Invalid',
    ],
  ]);

  test('defaults and the generated selector', () => {
    const job = kind.created(minimal);
    expect(job['spec']).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      selector: { matchLabels: { 'controller-uid': 'u-1' } },
      template: { metadata: { labels: { 'controller-uid': 'u-1', 'job-name': 'work' } } },
    });
    expect(job['spec']).not.toHaveProperty('completionMode');
    expect(kind.created(withValue(minimal, 'spec.parallelism', 2))['spec']).not.toHaveProperty('completions');
  });

  test('numbered completions belong to their gate', () => {
    const gated = new Kind('jobs.batch', contextWith({ on: ['IndexedJob', 'SuspendJob'] }));
    expect(gated.created(minimal)['spec']).toMatchObject({ completionMode: 'NonIndexed', suspend: false });
    const indexed = withValue(
      withValue(minimal, 'spec.completionMode', 'Indexed'),
      'spec.parallelism',
      100_001,
    );
    expect(brief(gated.createErrors(indexed))).toEqual([
      'spec.completions Required',
      'spec.parallelism Invalid',
    ]);
    expect(kind.createErrors(indexed)).toEqual([]);
  });

  test('what a job does stays; how many at once may change', () => {
    const before = kind.created(minimal);
    const sent = JSON.parse(JSON.stringify(before)) as JsonObject;
    expect(kind.updateErrors(before, withValue(sent, 'spec.parallelism', 5))).toEqual([]);
    expect(brief(kind.updateErrors(before, withValue(sent, 'spec.completions', 5)))).toEqual([
      'spec.completions Invalid',
    ]);
    expect(
      brief(kind.updateErrors(before, withValue(sent, 'spec.template.spec.containers.0.image', 'x'))),
    ).toEqual(['spec.template Invalid']);
    expect(brief(kind.updateErrors(before, { ...sent, status: { active: -1 } }, 'status'))).toEqual([
      'status.active Invalid',
    ]);
  });

  test('cells', () => {
    const startTime = new Date(now.getTime() - 90_000).toISOString();
    const job = {
      ...kind.created(withValue(minimal, 'spec.parallelism', 3)),
      status: { succeeded: 2, startTime },
    };
    expect(kind.cells(job).slice(1, 3)).toEqual(['2/1 of 3', '90s']);
  });
});

describe('CronJob', () => {
  const kind = new Kind('cronjobs.batch');
  const minimal: JsonObject = {
    metadata,
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template } } },
  };
  const at = 'spec.jobTemplate.spec';
  testErrors(kind, minimal, [
    ['metadata.name', 'x'.repeat(53), 'metadata.name Invalid'],
    ['spec.schedule', '', 'spec.schedule Required'],
    ['spec.schedule', '* * * *', 'spec.schedule Invalid'],
    ['spec.concurrencyPolicy', 'Maybe', 'spec.concurrencyPolicy NotSupported'],
    ['spec.startingDeadlineSeconds', -1, 'spec.startingDeadlineSeconds Invalid'],
    ['spec.failedJobsHistoryLimit', -1, 'spec.failedJobsHistoryLimit Invalid'],
    [`${at}.manualSelector`, true, `${at}.manualSelector Forbidden`],
    [`${at}.template.spec.restartPolicy`, 'Always', `${at}.template.spec.restartPolicy NotSupported`],
  ]);

  test('defaults and cells', () => {
    const object = kind.created(minimal);
    expect(object['spec']).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
    });
    expect(kind.cells(object).slice(1, 5)).toEqual(['*/5 * * * *', 'False', 0, '<none>']);
  });
});

describe('schedules', () => {
  test.each([
    '0 0 1 jan *',
    '@daily',
    '@every 1h30m',
    '1-5,7/2 */2 ? * MON-FRI',
    'TZ=Europe/Berlin 0 4 * * *',
  ])('%s', (text) => {
    expect(scheduleErrors(text)).toEqual([]);
  });
  test.each([
    '',
    '60 * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '@sometimes',
    '@every x',
    'a * * * *',
    '1/2/3 * * * *',
    '1-2-3 * * * *',
    'TZ=Nowhere/At 0 4 * * *',
    '0 0 0 * *',
  ])('not %s', (text) => {
    expect(scheduleErrors(text)).toHaveLength(1);
  });
});
