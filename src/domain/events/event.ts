/** The event record (interface 2.4): the seventeen fields, always all of them. Times are Unix seconds. */
export interface EventRecord {
  readonly id: string;
  readonly label: string;
  readonly sub_label: string | null;
  readonly camera: string;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly false_positive: boolean | null;
  readonly zones: readonly string[];
  /** Base64 of the stored picture. */
  readonly thumbnail: string | null;
  readonly has_clip: boolean;
  readonly has_snapshot: boolean;
  readonly retain_indefinitely: boolean;
  readonly plus_id: string | null;
  readonly model_hash: string | null;
  readonly detector_type: string | null;
  readonly model_type: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The end of the year 9999: calendars go no further. Unix seconds. */
export const LATEST_TIME = 253_402_300_799;
/** The beginning of the year 1. */
export const EARLIEST_TIME = -62_135_596_800;
