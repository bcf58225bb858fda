"""Writes what the log packs, as files of one sample each, for a dictionary to be trained on: messages of every event that a
contract names, their headers, requests that make posts, and answers. Only their build is told: ids, times and texts are drawn
anew for every sample, and texts are noise, so that no text of anybody makes part of the dictionary.

    samples.py FOLDER CONTRACT...
"""

import json
import pathlib
import random
import sys

PLATFORMS = ["linkedin", "instagram", "facebook", "tiktok", "youtube", "threads", "bluesky", "pinterest", "twitter", "telegram"]
NAMES_PER_CONTRACT = 40
REQUESTS = 250
HEADERS = 500

draw = random.Random(1)


def digits(count):
    return "".join(draw.choice("0123456789abcdef") for _ in range(count))


def event_id():
    return "-".join(digits(count) for count in (8, 4, 4, 4, 12))


def noise(most):
    return "".join(draw.choice("abcdefghijklmnopqrstuvwxyz      ") for _ in range(draw.randint(0, most))).strip()


def moment():
    day = f"20{draw.randint(24, 39)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    fraction = draw.choice(["", f".{draw.randint(0, 999):03}", f".{draw.randint(0, 999):03}", f".{digits(9)}"])
    return f"{day}T{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}{fraction}Z"


def link():
    return f"https://{digits(8)}.example/{digits(6)}"


def sometimes(fields):
    return {name: value for name, value in fields.items() if draw.random() < 0.5}


def target(status):
    told = {"platform": draw.choice(PLATFORMS), "status": status, "accountId": digits(24)}
    if status == "published":
        told |= sometimes({"platformPostId": digits(12), "publishedUrl": link()})
    if status == "failed":
        told |= {"error": noise(40)} | sometimes({"errorCategory": "auth_expired", "errorSource": "platform"})
    return told


def account():
    return {"accountId": digits(24)} | sometimes(
        {"profileId": digits(24), "platform": draw.choice(PLATFORMS), "username": noise(12), "displayName": noise(12)}
    )


def message(name, about, status):
    told = {"id": event_id(), "event": name, "timestamp": moment()}
    if about in ("rollup", "target"):
        of_post = status if about == "rollup" else "publishing"
        inner = "published" if of_post == "partial" else of_post
        told["post"] = (
            {"id": digits(24), "content": noise(80), "status": of_post}
            | sometimes({"scheduledFor": moment(), "publishedAt": moment()})
            | {"platforms": [target(inner) for _ in range(draw.randint(1, 4))]}
            | sometimes({"metadata": {"jobId": digits(8)}})
        )
    if about == "target":
        told["platform"] = {"name": draw.choice(PLATFORMS), **target(status)}
        del told["platform"]["platform"]
        told["account"] = account()
    if about not in ("rollup", "target"):
        told["account"] = account()
        if status == "disconnected":
            told["account"] |= {"disconnectionType": "unintentional", "reason": noise(20)}
    return told


def headers(contract, name):
    told = [
        ["host", draw.choice(["127.0.0.1:8787", f"{digits(8)}.example"])],
        ["user-agent", f"{contract['provider'].capitalize()}-Webhooks/1.0"],
        ["accept", "*/*"],
        ["accept-encoding", "gzip, deflate, br"],
        ["content-type", "application/json"],
        ["content-length", str(draw.randint(200, 1500))],
        ["connection", draw.choice(["keep-alive", "close"])],
        ["x-forwarded-for", ".".join(str(draw.randint(1, 250)) for _ in range(4))],
        ["x-forwarded-proto", "https"],
        [f"x-{contract['provider']}-event", name],
        [contract["event_id_header"].lower(), event_id()],
        [contract["signature"]["header"].lower(), draw.choice([contract["signature"].get("prefix", ""), ""]) + digits(64)],
    ]
    return [pair for pair in told if pair[0] not in ("accept-encoding", "x-forwarded-for", "x-forwarded-proto") or draw.random() < 0.3]


def request():
    return (
        {"content": noise(80)}
        | draw.choice([{"publishNow": True}, {"scheduledFor": moment()[:19], "timezone": "Europe/Berlin"}])
        | {"platforms": [{"platform": draw.choice(PLATFORMS), "accountId": digits(24)} for _ in range(draw.randint(1, 3))]}
        | sometimes({"mediaItems": [{"type": "image", "url": link()}], "metadata": {"jobId": digits(8)}})
    )


def post(status):
    return {
        "_id": digits(24),
        "content": noise(80),
        "status": status,
        "scheduledFor": moment(),
        "timezone": "UTC",
        "platforms": [
            {"platform": draw.choice(PLATFORMS), "accountId": digits(24), "status": status, "platformPostUrl": draw.choice([None, link()])}
            for _ in range(draw.randint(1, 3))
        ],
        "createdAt": moment(),
        "updatedAt": moment(),
    }


def answer():
    return draw.choice(
        [
            lambda: {"message": "Post scheduled successfully", "post": post("scheduled")},
            lambda: {"post": post(draw.choice(["scheduled", "publishing", "published", "failed", "partial", "cancelled"]))},
            lambda: {"error": noise(40), "code": "idempotency_conflict"},
            lambda: {"error": noise(40), "details": {"accountId": digits(24), "platform": draw.choice(PLATFORMS), "existingPostId": digits(24)}},
            lambda: {"error": noise(40), "type": "invalid_request_error"},
            lambda: {"error": noise(40), "details": {"limit": 60, "currentCount": 60, "retryAfterSeconds": 30}},
        ]
    )()


def main():
    folder = pathlib.Path(sys.argv[1])
    made = []
    for file in sys.argv[2:]:
        contract = json.loads(pathlib.Path(file).read_text())
        for name, event in contract["events"].items():
            made += [message(name, event["about"], event.get("status")) for _ in range(NAMES_PER_CONTRACT)]
        names = list(contract["events"])
        made += [headers(contract, draw.choice(names)) for _ in range(HEADERS)]
    made += [request() for _ in range(REQUESTS)] + [answer() for _ in range(REQUESTS)]
    for number, sample in enumerate(made):
        text = json.dumps(sample, separators=(",", ":"), ensure_ascii=False)
        (folder / f"{number:05}").write_text(text)


main()
