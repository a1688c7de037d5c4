/** Invisible characters that change the direction in which text is displayed. */
export const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g;

export const hasTurningMarks = (text: string): boolean => text.search(DIRECTION_MARKS) >= 0;
