/**
 * The rules that the newest release declares beside its fields (facts of that release): each is broken in a valid object,
 * and must give an error at its field, with its cause.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/base/json.ts';
import { asJson } from '../../../../src/meta/object.ts';
import { newestRelease } from '../../../../src/observe/release.ts';
import { contextWith, Kind } from '../../../support/kind.ts';
import { broken, findType, unversioned, type Breach, type DeclaredRule } from './broken.ts';
import { samples, type Sample } from './samples.ts';

const rules = readFileSync(join(__dirname, 'rules.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line): DeclaredRule => {
    const [type = '', field = '', rule = '', value = ''] = line.split('\t');
    return { type, field, rule, value };
  });

const kinds = samples.map((sample) => ({ sample, kind: kindOf(sample) }));

function kindOf({ kind, subresource = '' }: Sample): Kind {
  const context = contextWith({ release: newestRelease, subresource });
  return new Kind(kind, { ...context, isFeatureEnabled: () => true }, newestRelease);
}

interface Judged {
  readonly field: string;
  readonly reason: string;
}

function errorsOf({ sample, kind }: (typeof kinds)[number], object: JsonObject, isUpdate: boolean): Judged[] {
  const subresource: string = sample.subresource ?? '';
  if (!isUpdate && subresource === '') return kind.createErrors(object);
  const stored = kind.created(sample.object);
  const before = subresource === '' || !isUpdate ? stored : kind.updated(stored, sample.object, subresource);
  return kind.updateErrors(before, object, subresource);
}

function breachOf(
  rule: DeclaredRule,
): { readonly at: (typeof kinds)[number]; readonly breach: Breach } | undefined {
  for (const at of kinds) {
    const { sample, kind } = at;
    const place = findType(kind.schema, sample.object, unversioned(rule.type));
    if (!place) continue;
    if (sample.subresource && !place.path.startsWith('status')) continue;
    const breach = broken(sample.object, place, rule);
    if (breach) return { at, breach };
  }
  return undefined;
}

test.each(samples)('$kind $subresource is valid', (sample) => {
  const at = { sample, kind: kindOf(sample) };
  expect(errorsOf(at, sample.object, false)).toEqual([]);
  expect(asJson(at.kind.created(sample.object))).toBeDefined();
});

test('x', () => {
  const lines: string[] = [];
  for (const rule of rules) {
    const name = Object.values(rule).join(' ');
    const found = breachOf(rule);
    if (!found) {
      lines.push(`NONE ${name}`);
      continue;
    }
    let errors: Judged[] = [];
    try {
      errors = errorsOf(found.at, found.breach.object, found.breach.isUpdate);
    } catch (error) {
      lines.push(`THROW ${name} ${String(error)}`);
      continue;
    }
    const { at, reason } = found.breach;
    const ok = errors.some((e) => e.field.startsWith(at) && e.reason === reason);
    lines.push(
      `${ok ? 'OK' : 'MISS'} ${name} | want ${at} ${reason} got ${errors
        .map((e) => `${e.field} ${e.reason}`)
        .join(', ')
        .slice(0, 300)}`,
    );
  }
  require('fs').writeFileSync('/tmp/p6-rules.txt', lines.join('\n'));
});
