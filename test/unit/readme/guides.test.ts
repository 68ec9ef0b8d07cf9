/** Every room has a guide, which begins with what a newcomer has to know; what it may import is what the table says. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/paths.ts';
import { readmeText } from '../../support/readme.ts';
import { importTable, type RoomRule } from '../../tools/import-table.ts';

/** Lines within which the beginning ends. */
const beginning = 30;
const items = ['Owns', 'May import', 'Look first', 'Do not'];

const rooms = Object.entries(importTable).filter(([room]) => !room.endsWith('.ts'));

function guideOf(room: string): string {
  return `src/${room}/README.md`;
}

/** The text of a list item that begins with a word in bold. */
function itemOf(text: string, word: string): string {
  return text.match(new RegExp(`^- \\*\\*${word}\\*\\*[^]*?(?=^- |^$)`, 'm'))?.[0] ?? '';
}

/** Rooms that the item names; what is written from the root is named for another reason. */
function roomsNamed(item: string): string[] {
  const words = [...item.matchAll(/`([^`]+)`/g)].map((match) => match[1]?.split('/')[0] ?? '');
  return [...new Set(words.filter((word) => word in importTable))].sort();
}

function roomsAllowed({ may }: RoomRule): string[] {
  return [...new Set(may.map((permission) => permission.split('/')[0] ?? ''))].sort();
}

test('every room has a guide', () => {
  const without = rooms.filter(([room]) => !existsSync(join(repositoryRoot, guideOf(room))));
  expect(without.map(([room]) => room)).toEqual([]);
});

describe.each(rooms)('the guide of %s', (room, rule) => {
  const text = readmeText(guideOf(room));

  test('begins with what the room owns, may import, where to look first and what not to do', () => {
    const start = text.split('\n').slice(0, beginning).join('\n');
    expect(items.filter((item) => !start.includes(`- **${item}**`))).toEqual([]);
  });

  test('names the rooms that it may import', () => {
    expect(roomsNamed(itemOf(text, 'May import'))).toEqual(roomsAllowed(rule));
  });

  test('names the packages that it may import', () => {
    const item = itemOf(text, 'May import');
    expect(rule.packages.filter((name) => !item.includes(`\`${name}\``))).toEqual([]);
  });
});
