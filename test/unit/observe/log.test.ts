import { createLogger } from '../../../src/observe/log.ts';
import { HandClock } from '../../support/hand-clock.ts';

const clock = new HandClock(Date.UTC(2030, 0, 2, 3, 4, 5, 6));

function capture(): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  return {
    lines,
    logger: createLogger({ clock, level: 'debug', destination: { write: (line) => lines.push(line) } }),
  };
}

describe('log', () => {
  test('a record is one JSON line with level, time, message and fields', () => {
    const { lines, logger } = capture();
    logger.child({ component: 'http' }).info('hello', { n: 1 });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      time: '2030-01-02T03:04:05.006Z',
      msg: 'hello',
      component: 'http',
      n: 1,
    });
    expect(logger.health()).toBe('');
  });

  test('credentials reach no line, wherever they stand', () => {
    const { lines, logger } = capture();
    const secret = 's3cr3t-value';
    logger.warn(`bad header Authorization: Bearer ${secret}`);
    logger.error('x', { err: new Error(`Bearer ${secret} refused`), authorization: secret, token: secret });
    logger.info('x', { headers: { authorization: secret, 'proxy-authorization': secret, cookie: secret } });
    logger.info('x', { request: { token: secret, headers: { authorization: secret } } });
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toContain(secret);
  });

  test('a logger that writes no line reads no fields', () => {
    const { lines, logger } = capture();
    let reads = 0;
    const fields = {
      get component() {
        reads += 1;
        return 'http';
      },
    };
    const child = logger.child(fields);
    expect(reads).toBe(0);
    child.child({ part: 'a' }).warn('x');
    expect(reads).toBeGreaterThan(0);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ component: 'http', part: 'a' });
  });

  test('lines below the level are dropped, those of children too', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const logger = createLogger({ clock, level: 'warn', destination });
    for (const each of [logger, logger.child({ component: 'http' })]) {
      each.debug('x');
      each.info('x');
      each.warn('x');
      each.error('x');
    }
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual([
      ...['warn', 'error', 'warn', 'error'],
    ]);
    const silent = createLogger({ clock, level: 'silent', destination });
    silent.error('x');
    expect(lines).toHaveLength(4);
  });

  test('of a long error the beginning is written', () => {
    const { lines, logger } = capture();
    logger.warn('x', { err: new Error(`refused ${'x'.repeat(1_000_000)}`) });
    expect(lines[0]).toContain('"message":"refused xxx');
    expect(lines[0]?.length).toBeLessThan(20_000);
  });
});
