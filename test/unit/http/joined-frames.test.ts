/** Watches of the same objects get the same frames: they are put behind each other once. */
import type { RequestContext } from '../../../src/http/request-context.ts';
import { watchOutputOf, type WatchOutput } from '../../../src/http/watch/watch-output.ts';

function openOutput(): { output: WatchOutput; written: Buffer[] } {
  const written: Buffer[] = [];
  const res = { write: (bytes: Buffer) => written.push(bytes) };
  const context = { upgrade: false, res } as unknown as RequestContext;
  return { output: watchOutputOf(context, 'application/json'), written };
}

const frames = [Buffer.from('one\n'), Buffer.from('two\n')];

function writtenByAll(outputs: readonly { written: Buffer[] }[]): Set<Buffer> {
  return new Set(outputs.flatMap(({ written }) => written));
}

describe('frames of several events', () => {
  it('are one piece of memory for all watches that get them in a turn', () => {
    const outputs = Array.from({ length: 100 }, openOutput);
    for (const { output } of outputs) output.write([...frames]);
    const pieces = [...writtenByAll(outputs)];
    expect(pieces.map(String)).toEqual(['one\ntwo\n']);
  });

  it.each([
    { what: 'another frame', others: [frames[0] ?? Buffer.of(), Buffer.from('2.1\n')] },
    { what: 'one more', others: [...frames, Buffer.from('three\n')] },
    { what: 'an equal copy', others: frames.map((frame) => Buffer.from(frame)) },
  ])('are not those of a watch that gets $what', ({ others }) => {
    const outputs = [openOutput(), openOutput(), openOutput()];
    outputs[0]?.output.write(frames);
    outputs[1]?.output.write(others);
    outputs[2]?.output.write(frames);
    expect(outputs.map(({ written }) => written.map(String))).toEqual([
      ['one\ntwo\n'],
      [others.join('')],
      ['one\ntwo\n'],
    ]);
  });

  it('are kept no longer than the turn', async () => {
    const outputs = [openOutput(), openOutput()];
    outputs[0]?.output.write(frames);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    outputs[1]?.output.write(frames);
    expect(writtenByAll(outputs).size).toBe(2);
  });
});
