/** An event for tests: the fields that matter are given, the rest is plain. */
import type { EventRecord } from '../../../src/domain/events/event.ts';

/** Fields in the order of an answer: the id first, `data` last. */
export const event = ({ id, ...given }: Partial<EventRecord> & { readonly id: string }): EventRecord => ({
  id,
  label: 'person',
  sub_label: null,
  camera: 'front',
  start_time: 1_700_000_000,
  end_time: 1_700_000_010,
  false_positive: null,
  zones: [],
  thumbnail: null,
  has_clip: true,
  has_snapshot: true,
  retain_indefinitely: false,
  plus_id: null,
  model_hash: null,
  detector_type: null,
  model_type: null,
  data: {},
  ...given,
});

/** The test events of the semantics document. */
// biome-ignore format: a table
export const FIVE: readonly EventRecord[] = [
  event({ id: '1-a', camera: 'front',  label: 'person', sub_label: 'bob',       zones: ['drive'],         start_time: 1_700_000_000,   end_time: 1_700_000_010, data: { score: 0.9, recognized_license_plate: 'ABC123', average_estimated_speed: 10, top_score: 0.95 } }),
  event({ id: '2-b', camera: 'front',  label: 'person', sub_label: 'bob, john', zones: ['drive', 'yard'], start_time: 1_700_003_600.5, end_time: 1_700_003_700, data: { score: 0.4, recognized_license_plate: 'XYZ789' }, plus_id: 'p1', retain_indefinitely: true }),
  event({ id: '3-c', camera: 'back',   label: 'car',    sub_label: 'Bobby',     zones: [],                start_time: 1_700_010_000,   end_time: null,          data: { score: 0.7, attributes: [{ label: 'amazon', score: 0.5 }] }, plus_id: '' }),
  event({ id: '4-d', camera: 'garage', label: 'car',    sub_label: null,        zones: ['my zone'],       start_time: 1_720_000_000,   end_time: 1_720_000_100, data: { score: null, tags: ['amazon'] }, has_clip: false, has_snapshot: false }),
  event({ id: '5-e', camera: 'front',  label: 'dog',    sub_label: 'Émile',     zones: [],                start_time: 0,               end_time: 5,             data: { score: 0.5 }, thumbnail: 'iVBORw0KGgo=' }),
];
