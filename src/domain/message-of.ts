/** What a fault says: its message, or the value itself as text where something else was thrown. */

export const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
