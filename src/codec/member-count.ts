/** How many members JSON text has, about: they are what takes the time to parse it, not the length of texts such as certificates. */

/** Lists and objects that begin count, too: those below each other need no comma. */
const marks = Buffer.from(',[{');

/** Whether there are more than `most` members, items, lists and objects. Those in texts are counted as well. */
export function hasMoreMembers(json: Buffer, most: number): boolean {
  let count = 0;
  for (const mark of marks)
    for (let at = json.indexOf(mark); at !== -1; at = json.indexOf(mark, at + 1))
      if ((count += 1) > most) return true;
  return false;
}
