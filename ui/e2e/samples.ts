// Files as people hand them over.

/** A queue that takes a new key for every try, with a line that is none. */
export const QUEUE = [
  'When,Ref,Words,Page,HTTP status,Failure,Took ms',
  '2026-04-07 10:00:00,key-1,Doors open at nine tonight.,ac_pier,,Read timed out,30000',
  '2026-04-07 10:00:31,key-2,Doors open at nine tonight.,ac_pier,201,,410',
  'never,key-3,Doors,ac_pier,201,,1',
].join('\n')

/** Many posts, one of them twice, one nearly, and one that cannot be read. */
export const FILE = [
  'text,accounts,scheduledFor,timezone,Mood',
  'Oysters at the east pier,linkedin:ac_li_04,2031-05-06T09:00,Europe/Paris,calm',
  'The rope ferry rests on Mondays,linkedin:ac_li_04,2031-05-07T09:00,Europe/Paris,',
  'Oysters at the east pier,instagram:ac_ig_01,2031-05-06T09:00,Europe/Paris,',
  'Oysters at the east pier!,linkedin:ac_li_04,2031-05-06T10:00,Europe/Paris,',
  'Nobody hears this,,,,',
].join('\r\n')
