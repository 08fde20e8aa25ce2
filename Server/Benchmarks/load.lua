-- wrk's requests: nine of ten report sightings and one publishes, each from one of many sessions. The arguments after `--` are
-- the file with sessions and their publications, the file with tokens, and `open` or `sealed`.
local function lines(path)
    local all = {}
    for line in io.lines(path) do all[#all + 1] = line end
    return all
end

local sessions, tokens, sealed
local key = string.rep("A", 80) -- 60 bytes
local content = string.rep("QUJD", 64) -- 192 bytes

function init(arguments)
    math.randomseed(7)
    sessions, tokens, sealed = lines(arguments[1]), lines(arguments[2]), arguments[3] == "sealed"
end

function request()
    local session, publication = sessions[math.random(#sessions)]:match("(%S+) (%S+)")
    local headers = { ["Authorization"] = "Bearer " .. session }
    if math.random(10) == 1 then
        local token = ""
        if sealed then
            local digits = string.format("%08x%08x", math.random(0, 0xffffffff), math.random(0, 0xffffffff))
            token = ',"token":{"token":"' .. digits .. '","key":"' .. key .. '"}'
        end
        return wrk.format("POST", "/v1/publications", headers, '{"ttl_s":20,"content":"' .. content .. '"' .. token .. "}")
    end
    local heard, keys = {}, {}
    for index = 1, 5 do
        local token = '"' .. tokens[math.random(#tokens)] .. '"'
        heard[index] = token
        keys[index] = '{"token":' .. token .. ',"publication":"' .. publication .. '","key":"' .. key .. '"}'
    end
    local body = '{"heard":[' .. table.concat(heard, ",") .. "]"
    if sealed then body = body .. ',"keys":[' .. table.concat(keys, ",") .. "]" end
    return wrk.format("POST", "/v1/sightings", headers, body .. "}")
end
