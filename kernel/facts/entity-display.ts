/**
 * Returns the readable end of an entity: the part after the last slash, or after the last colon if there is no slash.
 */
export const entityDisplay = (entity: string): string => {
  const slash = entity.lastIndexOf('/');
  const name = entity.slice((slash === -1 ? entity.lastIndexOf(':') : slash) + 1);
  return name === '' ? entity : name;
};
