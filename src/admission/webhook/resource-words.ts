/** The resources that rules name, without subresources: by them webhooks and policies are looked up. */
import type { MatchRule } from './match-rules.ts';

/** Texts of a step. */
const textsOfStep = 256;

/** In steps: rules may name a hundred thousand. */
export function* resourceWords(
  rules: readonly Pick<MatchRule, 'resources'>[],
): Generator<void, ReadonlySet<string>, void> {
  const words = new Set<string>();
  let texts = 0;
  for (const { resources } of rules)
    for (const text of resources) {
      const slash = text.indexOf('/');
      words.add(slash < 0 ? text : text.slice(0, slash));
      texts += 1;
      if (texts % textsOfStep === 0) yield;
    }
  return words;
}
