/** The thread of `yaml-reader.ts`: reads YAML as long as it takes and answers with JSON. */
import { parentPort } from 'node:worker_threads';
import { DecodeError } from './decode-error.ts';
import type { YamlAnswer, YamlQuestion } from './yaml-reader.ts';
import { decodeYaml } from './yaml.ts';

parentPort?.on('message', (question: YamlQuestion) => {
  const answer = answerTo(question);
  parentPort?.postMessage(answer, 'json' in answer ? [answer.json.buffer] : []);
});

function answerTo({ id, bytes }: YamlQuestion): YamlAnswer {
  const duplicates: string[] = [];
  try {
    const value = decodeYaml(Buffer.from(bytes.buffer), {
      onDuplicates: (paths) => duplicates.push(...paths),
    });
    return { id, duplicates, json: new Uint8Array(Buffer.from(JSON.stringify(value))) };
  } catch (error) {
    if (error instanceof DecodeError) return { id, fault: error.message };
    throw error;
  }
}
