/** Line numbers of the values in a YAML text, for error messages. */
import { firstAtLeast } from '../base/first-at-least.ts';
import * as yaml from 'js-yaml';

interface Frame {
  readonly path: string;
  /** Of a list: the index of its next item; of a mapping: -1. */
  index: number;
  /** Of a mapping: the key that waits for its value. */
  key: string | undefined;
}

/** Line numbers by path (`rules[0].level`), counted from 1. @throws YAMLException */
export function linesOfYaml(source: string): (path: string) => number {
  const lines = new Map<string, number>();
  const frames: Frame[] = [];
  const lineAt = lineFinder(source);
  const pathOfNext = (): string => {
    const frame = frames.at(-1);
    if (!frame) return '';
    if (frame.index >= 0) return `${frame.path}[${String(frame.index++)}]`;
    const path = frame.path === '' ? (frame.key ?? '') : `${frame.path}.${frame.key ?? ''}`;
    frame.key = undefined;
    return path;
  };
  const open = (start: number, index: number): void => {
    const path = pathOfNext();
    if (!lines.has(path)) lines.set(path, lineAt(start));
    frames.push({ path, index, key: undefined });
  };
  for (const event of yaml.parseEvents(source, {})) {
    const frame = frames.at(-1);
    switch (event.type) {
      case yaml.EVENT_ID.SEQUENCE:
        open(event.start, 0);
        break;
      case yaml.EVENT_ID.MAPPING:
        open(event.start, -1);
        break;
      case yaml.EVENT_ID.SCALAR:
        if (frame?.index === -1 && frame.key === undefined) {
          frame.key = yaml.getScalarValue(source, event);
          lines.set(frame.path === '' ? frame.key : `${frame.path}.${frame.key}`, lineAt(event.valueStart));
        } else lines.set(pathOfNext(), lineAt(event.valueStart));
        break;
      case yaml.EVENT_ID.ALIAS:
        pathOfNext();
        break;
      case yaml.EVENT_ID.POP:
        frames.pop();
        break;
      case yaml.EVENT_ID.DOCUMENT:
    }
  }
  return (path) => lines.get(path) ?? 1;
}

/** The line of an offset. A policy may have 100,000 lines, each with several values, so that none is counted twice. */
function lineFinder(source: string): (offset: number) => number {
  const ends: number[] = [];
  for (let end = source.indexOf('\n'); end >= 0; end = source.indexOf('\n', end + 1)) ends.push(end);
  return (offset) => firstAtLeast(ends, offset) + 1;
}
