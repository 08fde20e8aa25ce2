-- wrk's requests for nodes.sh, from devices in many rooms. Arguments: the phase, the number of devices, the number in a
-- room, how many neighbours each hears, this process's number, and the number of processes.
--
-- Each device i has the session and the tokens that the script gave it. In the phase `arrive` each reports once. In the phase `stay`,
-- a device sends 14 requests a minute: twelve reports, one renewal of the publication and one of the subscription. There must be few
-- enough devices that each has its turn in time.
local phase, devices, room, heard, step, next
local kind = 0

function init(arguments)
    phase, devices, room = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
    heard, next, step = tonumber(arguments[4]), tonumber(arguments[5]), tonumber(arguments[6])
end

local function report(device)
    local first, tokens = device - device % room, {}
    for index = 1, heard do
        tokens[index] = string.format('"%016x"', 4096 + first + (device - first + index) % room)
    end
    return '{"heard":[' .. table.concat(tokens, ",") .. "]}"
end

function request()
    -- The order goes from room to room, so that neighbours seldom report at the same moment.
    local rooms = devices / room
    local device = next % rooms * room + math.floor(next / rooms)
    next = next + step
    if next >= devices then
        -- The next round takes the devices that another process had, so that each device sends every kind of request in
        -- the end.
        next = next % step + 1
        if next >= step then next = 0 end
    end
    local headers = { ["Authorization"] = string.format("Bearer earshot-session-%064x", device) }
    if phase == "stay" then
        kind = (kind + 1) % 14
        if kind == 12 then
            return wrk.format("PUT", string.format("/v1/publications/%032x", device), headers, '{"ttl_s":86400}')
        elseif kind == 13 then
            return wrk.format("PUT", string.format("/v1/subscriptions/%032x", device), headers, '{"ttl_s":86400}')
        end
    end
    return wrk.format("POST", "/v1/sightings", headers, report(device))
end
