/** The metrics of a service, as its users scrape them. */
import type { Agent } from 'node:https';
import type { Service } from './service.ts';

/** The sum of the samples of a metric that have all these labels. */
export type Figures = (name: string, ...labels: string[]) => number;

/** One scrape. */
export async function scrapeFigures(service: Service, agent?: Agent): Promise<Figures> {
  const { status, body } = await service.ask({ path: '/metrics', ...(agent && { agent }) });
  if (status !== 200) throw new Error(`metrics were answered ${String(status)}: ${body}`);
  const lines = body.split('\n').filter((line) => !line.startsWith('#'));
  return (name, ...labels) =>
    lines
      .filter((line) => /^\w+/.exec(line)?.[0] === name && labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
