/** Groups items by a name, in the order in which the names first occur. */
export const groupBy = <Item, Name extends string>(
  items: readonly Item[],
  nameOf: (item: Item) => Name,
): Map<Name, Item[]> => {
  const groups = new Map<Name, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
};
